import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { followFile, readFileText } from '../../../../core/config/follow-file.ts'
import { createOutbound } from '../../../../runtimes/node/network/outbound.ts'
import { nodeClock, nodeFiles, nodeLogger } from '../../../../runtimes/node/start/ports.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'
import { authority, client, deferred, open } from '../support.ts'

const root = mkdtempSync(join(tmpdir(), 'ports-'))
// The ports tested here do not keep the process alive.
const alive = setInterval(() => {}, 1000)
after(() => {
  clearInterval(alive)
  rmSync(root, { recursive: true })
})

test('the error of an unreadable file names the file', async () => {
  const path = join(root, 'none')
  await assert.rejects(nodeFiles.read(path), { message: `read ${path}: no such file or directory` })
})

test('a watch sees writes, renames over the file, removal and re-creation', async () => {
  const path = join(root, 'token')
  writeFileSync(path, 'one')
  let change = deferred()
  const stop = nodeFiles.watch(path, () => change.resolve())
  const steps = [
    () => writeFileSync(path, 'other'),
    () => {
      writeFileSync(`${path}.tmp`, 'renamed')
      renameSync(`${path}.tmp`, path)
    },
    () => rmSync(path),
    () => writeFileSync(path, 'back'),
  ]
  // It calls once when it has begun.
  await change.promise
  for (const step of steps) {
    change = deferred()
    step()
    await change.promise
  }
  stop()
})

test('a watch sees updates of a mounted volume', async () => {
  const at = (name: string) => join(root, 'volume', name)
  for (const name of ['1', '2']) {
    mkdirSync(at(name), { recursive: true })
    writeFileSync(join(at(name), 'ca.crt'), `version ${name}`)
  }
  symlinkSync('1', at('..data'))
  symlinkSync('..data/ca.crt', at('ca.crt'))
  let change = deferred()
  const stop = nodeFiles.watch(at('ca.crt'), () => change.resolve())
  await change.promise
  change = deferred()
  assert.equal(String(await nodeFiles.read(at('ca.crt'))), 'version 1')
  symlinkSync('2', at('..data_tmp'))
  renameSync(at('..data_tmp'), at('..data'))
  await change.promise
  assert.equal(String(await nodeFiles.read(at('ca.crt'))), 'version 2')
  stop()
})

test('a file that changes after it was read, but before it is followed, is loaded again', async () => {
  const path = join(root, 'followed')
  writeFileSync(path, 'read by the caller')
  const text = await readFileText(nodeFiles, path)
  writeFileSync(path, 'written meanwhile')
  let stop = () => {}
  const used = await new Promise<string>((use) => {
    stop = followFile({ path, files: nodeFiles, logger: silentLogger, what: 'file', text, load: (next) => next, use })
  })
  assert.equal(used, 'written meanwhile')
  stop()
})

test('a timer fires once, unless it is cancelled', async () => {
  const fired: string[] = []
  const cancel = nodeClock.after(1, () => fired.push('cancelled'))
  cancel()
  const stop = nodeClock.after(2 ** 31 + 5, () => fired.push('too early'))
  await new Promise<void>((resolve) => {
    nodeClock.after(5, () => {
      fired.push('done')
      resolve()
    })
  })
  stop()
  assert.deepEqual(fired, ['done'])
})

test('the log has one line per message, and debug messages from verbosity 4 on', () => {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  nodeLogger(0, { write }).debug({}, 'hidden')
  nodeLogger(4, { write }).debug({ a: 1 }, 'shown')
  nodeLogger(0, { write }).error({ err: new Error('two\nlines') }, 'failed')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['shown', 'failed'],
  )
  for (const line of lines) assert.equal(line.indexOf('\n'), line.length - 1)
})

const ca = { certificateAuthority: authority.certPem }

test('outbound calls with a CA, a client certificate and another server name', async () => {
  await using server = await open(async (request, { tls }) =>
    Response.json(
      {
        body: await request.text(),
        serverName: tls?.serverName,
        certificates: (tls?.peerCertificates?.length ?? 0) > 0,
        x: request.headers.get('x'),
      },
      { status: 201 },
    ),
  )
  const { fetch } = createOutbound()
  const { cert, key } = client('caller')
  const request = new Request(server.url, { method: 'POST', body: 'hello', headers: { x: 'y' } })
  const response = await fetch(request, { ...ca, clientCertificate: { certificate: cert, key }, serverName: 'localhost' })
  assert.equal(response.status, 201)
  assert.deepEqual(await response.json(), { body: 'hello', serverName: 'localhost', certificates: true, x: 'y' })
  await assert.rejects(fetch(new Request(server.url)), { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' })
  await assert.rejects(fetch(new Request(server.url), { ...ca, serverName: 'other.test' }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  assert.equal((await fetch(new Request(server.url), { insecure: true })).status, 201)
})

test('outbound calls end on timeout and on abort, also in the middle of a body', async () => {
  await using server = await open(({ url }) =>
    url.endsWith('/body') ? new Response(new ReadableStream()) : new Promise<Response>(() => {}),
  )
  const { fetch } = createOutbound()
  await assert.rejects(fetch(new Request(server.url), { ...ca, timeout: 50 }), { name: 'TimeoutError' })
  const controller = new AbortController()
  const pending = fetch(new Request(server.url, { signal: controller.signal }), ca)
  controller.abort(new Error('enough'))
  await assert.rejects(pending, { message: 'enough' })
  let timeout = 150
  const response = await eventually('a response that begins in time', () => {
    timeout *= 2
    return fetch(new Request(`${server.url}/body`), { ...ca, timeout })
  })
  await assert.rejects(response.text())
})

async function plain(server: Server, path?: string): Promise<number> {
  server.listen(path ?? { host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  return path === undefined ? (server.address() as AddressInfo).port : 0
}

test('outbound calls through a unix socket', async () => {
  const server = createServer((request, response) => response.end(request.url))
  const unixSocket = join(root, 'socket')
  await plain(server, unixSocket)
  const response = await createOutbound().fetch(new Request('http://kms/v2'), { unixSocket })
  assert.equal(await response.text(), '/v2')
  server.close()
  server.closeAllConnections()
})

test('outbound calls through a proxy', async () => {
  await using target = await open(() => new Response('through'))
  const asked: string[] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`)
    if (request.url?.startsWith('refused')) socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    else {
      const onward = connect(target.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      socket.pipe(onward).pipe(socket)
      for (const each of [socket, onward]) each.on('error', () => {})
    }
  })
  const options = { ...ca, proxy: `http://me:secret@127.0.0.1:${await plain(proxy)}` }
  const { fetch } = createOutbound()
  assert.equal(await (await fetch(new Request(target.url), options)).text(), 'through')
  await assert.rejects(
    fetch(new Request('https://refused.test/'), options),
    /proxy error from 127\.0\.0\.1:\d+ while dialing refused\.test:443, code 403: 403 Forbidden/,
  )
  assert.deepEqual(asked, [`127.0.0.1:${target.port} Basic bWU6c2VjcmV0`, 'refused.test:443 Basic bWU6c2VjcmV0'])
  proxy.close()
  proxy.closeAllConnections()
})

test('follows redirects of GET unless disabled, and sends credentials to no other host', async () => {
  await using other = await open((request) => new Response(String(request.headers.get('authorization'))))
  await using server = await open(({ url }) =>
    url.endsWith('/loop')
      ? new Response(null, { status: 302, headers: { location: '/loop' } })
      : new Response(null, { status: 302, headers: { location: `${other.url}/end` } }),
  )
  const { fetch } = createOutbound()
  const headers = { authorization: 'Bearer x' }
  assert.equal(await (await fetch(new Request(server.url, { headers }), ca)).text(), 'null')
  assert.equal((await fetch(new Request(server.url, { headers, redirect: 'manual' }), ca)).status, 302)
  await assert.rejects(fetch(new Request(`${server.url}/loop`), ca), /redirects/)
})

test('reads responses with long heads, up to 1 MiB', async () => {
  await using server = await open(({ url }) => {
    const size = Number(new URL(url).searchParams.get('size'))
    const headers = Array.from({ length: 100 }, (_, at): [string, string] => [`x-${at}`, 'y'.repeat(size / 100)])
    return new Response('read', { headers })
  })
  const { fetch } = createOutbound()
  const read = async (size: number) => (await fetch(new Request(`${server.url}?size=${size}`), ca)).headers.get('x-99')?.length
  assert.equal(await read(100_000), 1_000)
  assert.equal(await read(1_000_000), 10_000)
  await assert.rejects(read(2_000_000), /Header overflow/)
})
