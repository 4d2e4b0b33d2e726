/** Hostile clients: each is disconnected or bounded, and other clients are served. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCodes, nameOf } from '../../../../runtimes/wire/errors.ts'
import { preface } from '../../../../runtimes/wire/frames.ts'
import { encodedHeaders } from '../../../../runtimes/wire/hpack/write.ts'
import { within } from '../../../support/wait.ts'
import { http2, type Opened, open, session } from '../../node/support.ts'
import { frame, get, headerBlock, number, type RawClient, rawClient, setting, settings, types } from './raw-client.ts'

const ok = async (request: Request) => {
  await request.arrayBuffer()
  return new Response('ok')
}

/** How the connection ended: the code of its GOAWAY, or `closed`. */
async function endOf(client: RawClient): Promise<string> {
  const last = await within(
    'the end of the connection',
    client.next(({ type, payload }) => type === types.goAway && payload.readUInt32BE(4) !== 0),
  )
  return last === undefined ? 'closed' : nameOf(last.payload.readUInt32BE(4))
}

/** Sends the same bytes until the connection ends, up to a limit. */
async function flood(client: RawClient, bytes: Uint8Array, times: number): Promise<void> {
  const many = Buffer.concat(Array<Uint8Array>(1_000).fill(bytes))
  for (let sent = 0; sent < times && !client.closed; sent += 1_000) await Promise.race([client.send(many), delay(100)])
}

async function assertServes(server: Opened): Promise<void> {
  const connection = session(server.url)
  assert.equal((await within('another client', http2(connection, { ':path': '/' }))).text, 'ok')
  connection.close()
}

const block = headerBlock('GET', '/')
const post = headerBlock('POST', '/')
const nameless = Buffer.of(0)

/** Repeated frames; where they need a stream, it is open. */
const floods: Record<string, [bytes: Buffer, end: string]> = {
  pings: [frame(types.ping, 0, 0, Buffer.alloc(8)), 'ENHANCE_YOUR_CALM'],
  'PING acknowledgements': [frame(types.ping, 1, 0, Buffer.alloc(8)), 'ENHANCE_YOUR_CALM'],
  'empty SETTINGS': [frame(types.settings, 0, 0), 'ENHANCE_YOUR_CALM'],
  'SETTINGS that change windows': [frame(types.settings, 0, 0, Buffer.concat([setting(4, 0), setting(4, 100_000)])), 'ENHANCE_YOUR_CALM'],
  'SETTINGS acknowledgements': [frame(types.settings, 1, 0), 'ENHANCE_YOUR_CALM'],
  priorities: [frame(types.priority, 0, 99, Buffer.alloc(5)), 'ENHANCE_YOUR_CALM'],
  'empty DATA frames': [frame(types.data, 0, 1), 'ENHANCE_YOUR_CALM'],
  'DATA of padding only': [frame(types.data, 8, 1, nameless), 'ENHANCE_YOUR_CALM'],
  'window updates': [frame(types.windowUpdate, 0, 1, number(1)), 'ENHANCE_YOUR_CALM'],
  'connection window updates': [frame(types.windowUpdate, 0, 0, number(1)), 'ENHANCE_YOUR_CALM'],
  'frames of an unknown type': [frame(77, 0, 0), 'ENHANCE_YOUR_CALM'],
  'resets of a closed stream': [Buffer.concat([frame(types.resetStream, 0, 1, number(8))]), 'ENHANCE_YOUR_CALM'],
  'data on a closed stream': [
    Buffer.concat([frame(types.resetStream, 0, 1, number(8)), frame(types.data, 0, 1, Buffer.alloc(10))]),
    'ENHANCE_YOUR_CALM',
  ],
}
for (const [what, [bytes, end]] of Object.entries(floods))
  test(`a flood of ${what}`, async () => {
    await using server = await open(ok)
    const client = await rawClient(server.port)
    await client.send(frame(types.headers, 4, 1, post))
    void flood(client, bytes, 200_000)
    assert.equal(await endOf(client), end)
    await assertServes(server)
    client.socket.destroy()
  })

test('rapid reset (CVE-2023-44487): requests that are cancelled at once', async () => {
  let running = 0
  let most = 0
  await using server = await open(async ({ signal, url }) => {
    if (!url.endsWith('/slow')) return new Response('ok')
    most = Math.max(most, ++running)
    // Reacts slowly to the cancellation.
    await new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 50)))
    running--
    return new Response('late')
  })
  const client = await rawClient(server.port)
  const slow = headerBlock('GET', '/slow')
  for (let id = 1; id < 20_000 && !client.closed; id += 2)
    await client.send(frame(types.headers, 5, id, slow), frame(types.resetStream, 0, id, number(errorCodes.cancel)))
  assert.equal(await endOf(client), 'ENHANCE_YOUR_CALM')
  assert.ok(most <= 200, `${most} handlers at once`)
  await assertServes(server)
})

test('repeated malformed requests', async () => {
  await using server = await open(ok)
  const client = await rawClient(server.port)
  const malformed = encodedHeaders([[':method', 'GET']])
  for (let id = 1; id < 20_000 && !client.closed; id += 2) await client.send(frame(types.headers, 5, id, malformed))
  assert.equal(await endOf(client), 'ENHANCE_YOUR_CALM')
})

test('an endless header list (CONTINUATION flood)', async (t) => {
  const floods: Record<string, Buffer> = {
    'of empty frames': frame(types.continuation, 0, 1),
    'of one byte each': frame(types.continuation, 0, 1, Buffer.of(0x82)),
    'of full frames': frame(types.continuation, 0, 1, Buffer.alloc(16_384, 0x82)),
  }
  for (const [what, bytes] of Object.entries(floods))
    await t.test(what, async () => {
      await using server = await open(ok)
      const client = await rawClient(server.port)
      await client.send(frame(types.headers, 1, 1, block))
      for (let sent = 0; sent < 3_000 && !client.closed; sent++) await client.send(bytes)
      assert.equal(await endOf(client), 'ENHANCE_YOUR_CALM')
    })
})

/** A request in as many frames as needed. */
function request(id: number, fields: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < fields.length; at += 16_384) {
    const part = fields.subarray(at, at + 16_384)
    const last = at + part.length === fields.length ? 4 : 0
    frames.push(at === 0 ? frame(types.headers, 1 | last, id, part) : frame(types.continuation, last, id, part))
  }
  return Buffer.concat(frames)
}

test('header lists that are too large are answered with 431, and the connection stays open', async (t) => {
  await using server = await open(ok)
  const fields = (count: number, length = 1) => Array.from({ length: count }, (_, i): [string, string] => [`x-${i}`, 'v'.repeat(length)])
  // An entry of 4,000 bytes in the dynamic table, and many references to it.
  const entry = Buffer.concat([Buffer.of(0x40, 1), Buffer.from('b'), Buffer.of(0x7f, 0xa1, 0x1e), Buffer.alloc(4_000, 'v')])
  const cases: Record<string, [fields: Buffer, status: string]> = {
    '15,996 fields beside the four of every request': [headerBlock('GET', '/', ...fields(15_996)), '200'],
    '15,997 fields': [headerBlock('GET', '/', ...fields(15_997)), '431'],
    'a megabyte': [headerBlock('GET', '/', ...fields(10, 110_000)), '431'],
    'a bomb (CVE-2016-1544)': [Buffer.concat([block, entry, Buffer.alloc(14_000, 0xbe)]), '431'],
  }
  const client = await rawClient(server.port)
  let id = 1
  for (const [what, [bytes, status]] of Object.entries(cases))
    await t.test(what, async () => {
      await client.send(request(id, bytes))
      const head = await within(
        'the answer',
        client.next(({ type, stream }) => type === types.headers && stream === id),
      )
      // :status 200 is in the static table; 431 is a literal or in the dynamic table.
      assert.equal(head?.payload[0] === 0x88, status === '200')
      id += 2
    })
  const connection = session(server.url, { maxSendHeaderBlockLength: 1024 * 1024 })
  const answer = await http2(connection, { ':path': '/', ...Object.fromEntries(fields(15_997)) })
  assert.equal(answer.status, 431)
  connection.close()
})

test('more data than the window allows', async (t) => {
  let hold = true
  await using server = await open(async (request) => {
    if (request.method === 'POST' && hold) await new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()))
    return new Response('ok')
  })
  const data = (id: number) => frame(types.data, 0, id, Buffer.alloc(16_384))
  await t.test('on a stream', async () => {
    const client = await rawClient(server.port)
    await client.send(frame(types.headers, 4, 1, post), ...Array<Buffer>(17).fill(data(1)))
    const reset = await within(
      'the reset',
      client.next(({ type }) => type === types.resetStream),
    )
    assert.equal(reset?.payload.readUInt32BE(0), errorCodes.flowControlError)
    client.socket.destroy()
  })
  await t.test('of padding only', async () => {
    const client = await rawClient(server.port)
    const padding = frame(types.data, 8, 1, Buffer.concat([Buffer.of(255), Buffer.alloc(255)]))
    // The window for padding is returned at once: the stream continues, until there are too many empty frames.
    await client.send(frame(types.headers, 4, 1, post), ...Array<Buffer>(3_000).fill(padding), frame(types.ping, 0, 0, Buffer.alloc(8)))
    assert.ok(
      await within(
        'the pong',
        client.next(({ type }) => type === types.ping),
      ),
    )
    client.socket.destroy()
  })
  hold = false
  await assertServes(server)
})

test('other protocols', async (t) => {
  const openings: Record<string, Buffer> = {
    'HTTP/1.1': Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    noise: Buffer.alloc(1_000, 7),
    'a request before SETTINGS': Buffer.concat([preface, get(1)]),
    'a frame that is too large': Buffer.concat([preface, settings, Buffer.from('004001000000000001', 'hex')]),
  }
  await using server = await open(ok)
  for (const [what, bytes] of Object.entries(openings))
    await t.test(what, async () => {
      const client = await rawClient(server.port, bytes)
      assert.match(await endOf(client), /^(PROTOCOL_ERROR|FRAME_SIZE_ERROR)$/)
    })
})

test('a client that sends pings and never reads', async () => {
  await using server = await open(ok)
  const client = await rawClient(server.port)
  client.socket.pause()
  const closed = new Promise<void>((resolve) => client.socket.on('close', resolve))
  await flood(client, frame(types.ping, 0, 0, Buffer.alloc(8)), 100_000)
  client.socket.resume()
  await within('the end of the connection', closed)
  await assertServes(server)
})
