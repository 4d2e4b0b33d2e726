/** Webhook calls over TLS to another process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { after, before, test } from 'node:test'
import { createConnect } from '../../../core/outgoing/webhook/client-config.ts'
import { type Post, post } from '../../../core/outgoing/webhook/post.ts'
import { nodeClock } from '../../../runtimes/node/clock.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { nodeArguments } from '../../support/root.ts'
import { within } from '../../support/wait.ts'
import { authority, issued } from './support.ts'

let port: number
let stop: () => void
const outbound = createOutbound()
const caBundle = Buffer.from(authority.certPem).toString('base64')
const connect = createConnect(async () => `127.0.0.1:${port}`)

before(async () => {
  const env = { ...process.env, TLS: JSON.stringify({ ...issued('hook.dev.svc', '127.0.0.1'), ca: authority.certPem }) }
  const child = spawn(process.execPath, nodeArguments(new URL('./webhook-service.ts', import.meta.url)), {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stop = () => child.kill()
  port = Number(String((await within('port of the service', once(child.stdout, 'data')))[0]))
})
after(() => stop())

async function ask(path: string, more: Partial<Post> = {}): Promise<string> {
  const connection = await connect({ url: `https://127.0.0.1:${port}${path}`, caBundle }, undefined)
  return post({ connection, outbound, clock: nodeClock, body: '{}', timeout: 60_000, ...more })
}

test('a service is called at its endpoint, with its own server name', async () => {
  const connection = await connect({ service: { namespace: 'dev', name: 'hook', path: 'allow' }, caBundle }, undefined)
  assert.equal(connection.url, 'https://hook.dev.svc:443/allow')
  assert.match(await post({ connection, outbound, clock: nodeClock, body: '{}', timeout: 60_000 }), /"allowed":true/)
  const other = await connect({ service: { namespace: 'dev', name: 'other', port: 8443 }, caBundle }, undefined)
  await assert.rejects(
    post({ connection: other, outbound, clock: nodeClock, body: '{}', timeout: 60_000 }),
    /^Error: Post "https:\/\/other\.dev\.svc:8443\/\?timeout=60s": .*cert/,
  )
})

test('caBundle may contain the serving certificate itself, and empty path segments are removed, as envtest of controller-runtime needs', async () => {
  const own = issued('localhost', '127.0.0.1')
  const paths: (string | undefined)[] = []
  const server = createSecureServer(own, (request, response) => {
    paths.push(request.url)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: ownPort } = server.address() as AddressInfo
  const certified = (certificate: string, path: string) =>
    connect({ url: `https://127.0.0.1:${ownPort}${path}`, caBundle: Buffer.from(certificate).toString('base64') }, undefined)
  try {
    for (const path of ['//failing', '/a//b/', ''])
      await post({ connection: await certified(own.cert, path), outbound, clock: nodeClock, body: '{}', timeout: 60_000 })
    assert.deepEqual(paths, ['/failing?timeout=60s', '/a/b?timeout=60s', '/?timeout=60s'])
    const other = await certified(issued('localhost', '127.0.0.1').cert, '/')
    await assert.rejects(post({ connection: other, outbound, clock: nodeClock, body: '{}', timeout: 60_000 }), /certificate/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a certificate that caBundle does not trust is refused', async () => {
  const connection = await connect({ url: `https://127.0.0.1:${port}/allow` }, undefined)
  await assert.rejects(post({ connection, outbound, clock: nodeClock, body: '{}', timeout: 60_000 }), /certificate/)
})

test('error messages match kube-apiserver', async () => {
  await assert.rejects(ask('/500'), { message: 'an error on the server ("no") has prevented the request from succeeding', code: 500 })
  await assert.rejects(ask('/404'), { message: 'the server could not find the requested resource' })
  await assert.rejects(ask('/403'), { message: 'no' })
  await assert.rejects(ask('/301'), { message: 'the server responded with the status code 301 but did not return more information' })
  const slow = `Post "https://127.0.0.1:${port}/slow?timeout=1s": context deadline exceeded`
  await assert.rejects(ask('/slow', { timeout: 300 }), { message: slow })
  await assert.rejects(ask('/stalled', { timeout: 300 }), /context deadline exceeded/)
  await assert.rejects(ask('/slow', { signal: AbortSignal.abort() }), /context canceled/)
  await assert.rejects(ask('/dead'), { message: `Post "https://127.0.0.1:${port}/dead?timeout=60s": EOF` })
  await assert.rejects(ask('/huge'), /the response has more than 8388608 bytes/)
})

test('codes below 100 are final, as for client-go', async () => {
  let answer = ''
  const server = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const connection = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, options: {} }
  try {
    for (const [digits, code] of Object.entries({ '000': 0, '042': 42, '099': 99 })) {
      answer = `HTTP/1.1 ${digits} x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno`
      await assert.rejects(post({ connection, outbound, clock: nodeClock, body: '{}', timeout: 60_000 }), {
        name: 'PostRefused',
        message: `the server responded with the status code ${code} but did not return more information`,
        code,
      })
    }
  } finally {
    server.close()
  }
})

test('a kept-alive connection closed by the peer is no failure', async () => {
  const seen = new Map<object, number>()
  let answered = 0
  const server = createServer((request, response) => {
    const count = (seen.get(request.socket) ?? 0) + 1
    seen.set(request.socket, count)
    // As a server whose idle timeout ends just when the next request arrives.
    if (count > 1) return request.socket.destroy()
    return request.resume().on('end', () => response.end(`answer ${++answered}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: plainPort } = server.address() as AddressInfo
  const connection = { url: `http://127.0.0.1:${plainPort}/`, options: {} }
  try {
    for (const expected of ['answer 1', 'answer 2', 'answer 3']) {
      assert.equal(await post({ connection, outbound, clock: nodeClock, body: '{}', timeout: 60_000 }), expected)
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
