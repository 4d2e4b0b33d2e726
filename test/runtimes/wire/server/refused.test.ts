/** Connections and requests refused before HTTP, and rare features of HTTP. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { within } from '../../../support/wait.ts'
import { http2, open, session, socket } from '../../node/support.ts'
import { frame, headerBlock, rawClient, types } from './raw-client.ts'

const openssl = spawnSync('openssl', ['version']).status === 0

test('TLS renegotiation is refused', { skip: !openssl && 'needs openssl' }, async () => {
  await using server = await open(() => new Response('ok'))
  const child = spawn('openssl', ['s_client', '-tls1_2', '-connect', `127.0.0.1:${server.port}`], { stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes))
  while (!text.includes('Verify return code')) await within('the handshake', once(child.stdout, 'data'))
  child.stdin.write('R\n')
  await within('the end', once(child, 'close'))
  assert.match(text, /RENEGOTIATING[\s\S]*(no renegotiation|handshake failure)/)
})

test('a request of HTTP/0.9 is answered with 400', async () => {
  await using server = await open(() => new Response('ok'))
  for (const line of ['GET /healthz\r\n\r\n', 'GET /healthz\r\n', 'GET /healthz HTTP/0.9\r\n\r\n']) {
    const opened = await socket(server.port)
    opened.end(line)
    let text = ''
    for await (const bytes of opened) text += bytes
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/, JSON.stringify(line))
  }
})

const get = (...fields: readonly string[]) => `GET / HTTP/1.1\r\nHost: a\r\n${fields.map((each) => `${each}\r\n`).join('')}\r\n`

test('requests before malformed input are answered; what follows the last request of a connection is ignored', async () => {
  const cases: readonly (readonly [sent: string, ...statuses: number[]])[] = [
    [`${get()}garbage\r\n\r\n`, 200, 400],
    [`${get()}${get()}garbage\r\n\r\n`, 200, 200, 400],
    [`${get('Connection: close')}garbage\r\n\r\n`, 200],
    [get('Connection: close') + get(), 200],
    [`${get('Connection: close')}\r\n`, 200],
    [`GET / HTTP/1.0\r\n\r\n${get()}`, 200],
    [`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`, 501],
    [`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`, 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`, 400],
  ]
  const answers = [() => new Response('ok'), () => new Response(new Response('ok').body)]
  for (const answer of answers)
    for (const [sent, ...statuses] of cases) {
      await using server = await open(async ({ body }) => {
        // The input that follows arrives before the answer.
        await new Promise((resolve) => setImmediate(resolve))
        await new Response(body).text()
        return answer()
      })
      const opened = await socket(server.port)
      opened.write(sent)
      let text = ''
      for await (const bytes of opened) text += bytes
      const found = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
      assert.deepEqual(found, statuses, `${JSON.stringify(sent)}: ${JSON.stringify(text)}`)
    }
})

test('endless malformed input behind a response that lasts', async () => {
  let end = () => {}
  await using server = await open(
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('begun'))
            end = () => controller.close()
          },
        }),
      ),
  )
  const opened = await socket(server.port)
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  let text = ''
  opened.on('data', (bytes) => (text += bytes))
  opened.write(get())
  for (let i = 0; i < 64; i++) if (!opened.write('garbage\r\n\r\n'.repeat(8192))) await within('the input', once(opened, 'drain'))
  end()
  await within('the end', once(opened, 'close'))
  process.off('warning', warn)
  assert.match(text, /begun[\s\S]*HTTP\/1\.1 400 /)
  assert.deepEqual(warnings, [])
})

test('extended CONNECT (RFC 8441) is announced, and reaches the handler with its protocol', async () => {
  await using server = await open(({ method, url, headers }, { upgrade }) => {
    const seen = `${method} ${headers.get('upgrade')} ${new URL(url).pathname}`
    return upgrade?.({ 'x-seen': seen }, ({ readable, writable }) => void readable.pipeTo(writable)) ?? new Response(null, { status: 403 })
  })
  const client = await rawClient(server.port)
  const announced = await client.next(({ type, flags }) => type === types.settings && flags === 0)
  assert.ok(announced?.payload.toString('hex').includes('000800000001'))
  await client.send(frame(types.headers, 4, 1, headerBlock('GET', '/exec', [':protocol', 'websocket'])))
  const refused = await within(
    'the refusal',
    client.next(({ type, stream }) => type === types.resetStream && stream === 1),
  )
  assert.equal(refused?.payload.readUInt32BE(0), 1, 'only CONNECT may have :protocol')
  client.socket.destroy()
  const connection = session(server.url)
  await once(connection, 'remoteSettings')
  const tunnel = connection.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': '/exec',
    ':scheme': 'https',
    ':authority': 'localhost',
  })
  const [head] = await within('the answer', once(tunnel, 'response'))
  assert.deepEqual([head[':status'], head['x-seen']], [200, 'GET websocket /exec'])
  for (const word of ['there', 'and', 'back']) {
    tunnel.write(word)
    assert.equal(String((await within('the echo', once(tunnel, 'data')))[0]), word)
  }
  tunnel.end()
  await within('the end', once(tunnel, 'end'))
  connection.close()
})

test('a client that expects 100-continue gets it, and requests with trailers are complete', async () => {
  await using server = await open(async (request) => new Response(await request.text()))
  const connection = session(server.url)
  const stream = connection.request({ ':method': 'POST', ':path': '/', expect: '100-continue', 'content-length': '4' })
  await within('100', once(stream, 'continue'))
  stream.end('body')
  assert.equal(String((await within('the body', once(stream, 'data')))[0]), 'body')
  const trailing = connection.request({ ':method': 'POST', ':path': '/' }, { waitForTrailers: true })
  trailing.on('wantTrailers', () => trailing.sendTrailers({ 'x-sum': '1' }))
  trailing.end('trailed')
  assert.equal(String((await within('the body', once(trailing, 'data')))[0]), 'trailed')
  connection.close()
})

test('draining: requests sent before the client received GOAWAY are answered, later ones are not accepted', async () => {
  await using server = await open(async ({ url }) => new Response(url, { headers: url.endsWith('/last') ? { connection: 'close' } : {} }))
  const client = await rawClient(server.port)
  const request = (id: number, path: string) => frame(types.headers, 5, id, headerBlock('GET', path))
  const answered = (id: number) =>
    within(
      `answer ${id}`,
      client.next(({ type, flags, stream }) => type === types.data && (flags & 1) === 1 && stream === id),
    )
  await client.send(request(1, '/last'))
  const first = await within(
    'GOAWAY',
    client.next(({ type }) => type === types.goAway),
  )
  assert.equal(first?.payload.readUInt32BE(0), 2 ** 31 - 1)
  await client.send(request(3, '/meanwhile'))
  assert.ok(await answered(1))
  assert.ok(await answered(3))
  const ping = await within(
    'the ping',
    client.next(({ type, flags }) => type === types.ping && flags === 0),
  )
  await client.send(frame(types.ping, 1, 0, ping?.payload))
  const last = await within(
    'the last GOAWAY',
    client.next(({ type, payload }) => type === types.goAway && payload.readUInt32BE(0) !== 2 ** 31 - 1),
  )
  assert.deepEqual([last?.payload.readUInt32BE(0), last?.payload.readUInt32BE(4)], [3, 0])
  assert.equal(
    await within(
      'the end',
      client.next(() => false),
    ),
    undefined,
  )
})

test('bodies of many sizes in both directions over few connections', async () => {
  await using server = await open(async (request) => new Response(new Uint8Array(await request.arrayBuffer())))
  const connections = [session(server.url), session(server.url)]
  const sizes = [0, 1, 100, 16_383, 16_384, 16_385, 65_535, 65_536, 300_000, 700_000]
  const echo = async (at: number) => {
    const body = 'x'.repeat(sizes[at % sizes.length] ?? 0)
    const answer = await http2(connections[at % 2] ?? assert.fail(), { ':path': '/', ':method': 'POST' }, Buffer.from(body))
    assert.equal(answer.text.length, body.length)
    assert.equal(answer.text, body)
  }
  await within('all', Promise.all(Array.from({ length: 60 }, (_, at) => echo(at))))
  for (const connection of connections) connection.close()
})
