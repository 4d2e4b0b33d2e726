/** Logs and proxies, through the daemon, with a node agent that runs real processes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Status } from '../../core/answers/status.ts'
import { type Api, apiOf } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { residentMiB } from '../support/memory.ts'
import { type NodeAgent, ownAddress, registerAgent, startNodeAgent } from '../support/node-agent/start.ts'
import { eventually } from '../support/wait.ts'

const address = ownAddress()
const namespace = '/api/v1/namespaces/default'
const containers = ['lines', 'ticks', 'quiet', 'flood', 'options', 'bad', 'missing', 'broken', 'busy', 'moved']

interface Echo {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly bytes: number
  readonly sha256: string
  readonly certificate?: string
}

describe('logs and proxies of node agents', {
  skip: address === undefined && 'this host has no address but loopback',
  timeout: 600_000,
}, () => {
  let agent: NodeAgent
  let web: NodeAgent
  let daemon: Daemon
  let api: Api
  before(async () => {
    agent = await startNodeAgent({ address: address ?? '' })
    web = await startNodeAgent({ address: address ?? '', plain: true })
    daemon = await startDaemon({ flags: [...agent.flags, '--nodeagent-preferred-address-types=InternalIP'] })
    api = apiOf(daemon.fetch)
    await registerAgent(api, agent, { containers })
  })
  after(async () => {
    await daemon?.stop()
    agent?.close()
    web?.close()
  })

  const log = (query: string) => daemon.fetch(`${namespace}/pods/runner/log?${query}`)
  const state = async () => JSON.parse(await (await daemon.fetch('/api/v1/nodes/agent/proxy/state')).text()) as { logs: number }

  test('a log is sent as the agent sends it, with the options of the request', async () => {
    const lines = await log('container=lines')
    assert.deepEqual([lines.status, lines.headers.get('content-type')], [200, 'text/plain'])
    assert.equal((await lines.text()).split('\n').length, 1001)
    const options = 'follow=true&limitBytes=9&previous=true&sinceSeconds=5&tailLines=0&timestamps=true'
    assert.equal(await (await log(`container=options&${options}`)).text(), `${options}\n`)
    assert.equal(
      await (await log('container=options&sinceTime=2026-01-02T03:04:05.6%2B01:00')).text(),
      'sinceTime=2026-01-02T02%3A04%3A05Z\n',
    )
  })

  test("errors of an agent are the client's, by status", async () => {
    const expected: readonly (readonly [string, number, string, string])[] = [
      ['bad', 400, 'BadRequest', 'container "bad" in pod is waiting to start: ContainerCreating'],
      ['missing', 404, 'NotFound', 'the server could not find the requested resource ( pods/log runner)'],
      ['broken', 500, 'InternalError', 'Internal error occurred: failed to try resolving symlinks'],
      ['busy', 429, 'TooManyRequests', 'the server has received too many requests and has asked us to try again later ( pods/log runner)'],
    ]
    for (const [container, code, reason, message] of expected) {
      const response = await log(`container=${container}`)
      const status = (await response.json()) as Status
      assert.deepEqual([response.status, status.code, status.reason, status.message], [code, code, reason, message])
    }
    const moved = await log('container=moved')
    assert.deepEqual(
      [moved.status, ((await moved.json()) as Status).message],
      [500, 'Get "https://192.0.2.66/": redirects forbidden'],
      'a redirect is not followed',
    )
  })

  test('a followed log comes line by line, and ends at the agent when the client leaves', async () => {
    const leaving = new AbortController()
    const response = await daemon.fetch(`${namespace}/pods/runner/log?container=ticks&follow=true`, { signal: leaving.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    while (!text.includes('tick 5')) text += Buffer.from((await reader.read()).value ?? [])
    assert.match(text, /^tick 0\ntick 1\n/)
    assert.equal((await state()).logs, 1)
    leaving.abort()
    await eventually('the end of the process', async () => (await state()).logs === 0)
  })

  test('a client that does not read holds the agent back', async () => {
    const leaving = new AbortController()
    const before = residentMiB(daemon.pid)
    const response = await daemon.fetch(`${namespace}/pods/runner/log?container=flood&follow=true`, { signal: leaving.signal })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    // The stream fills its buffers in the time of these requests.
    for (let i = 0; i < 200; i++) await state()
    assert.ok(residentMiB(daemon.pid) - before < 64, 'less than 64 MiB')
    leaving.abort()
    await eventually('the end of the process', async () => (await state()).logs === 0)
  })

  test("requests reach a node's agent with the server's certificate, and without the client's credentials", async () => {
    const body = Buffer.alloc(3_000_000, 'x')
    const response = await daemon.fetch('/api/v1/nodes/agent/proxy/a%2Fb//./c/..//d%20(e)?q=%zz&r', {
      method: 'PUT',
      headers: {
        ...{ authorization: 'Bearer secret', 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
        ...{ connection: 'x-hop', 'x-hop': '1', te: 'trailers', 'x-forwarded-for': '1.2.3.4', 'x-kept': 'yes' },
      },
      body,
    })
    const echo = (await response.json()) as Echo
    assert.deepEqual([echo.method, echo.url], ['PUT', '/a/b/d%20%28e%29?q=%zz&r'])
    assert.deepEqual([echo.bytes, echo.sha256], [body.length, createHash('sha256').update(body).digest('hex')])
    assert.equal(echo.certificate, 'apiserver-agent-client')
    const headers = Object.fromEntries(
      echo.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), echo.rawHeaders[at + 1]]] : [])),
    )
    for (const name of ['authorization', 'impersonate-user', 'impersonate-group', 'x-hop']) assert.equal(headers[name], undefined, name)
    assert.deepEqual(
      [headers['host'], headers['x-kept'], headers['te'], headers['x-forwarded-for'], headers['x-forwarded-uri']],
      [`127.0.0.1:${daemon.port}`, 'yes', 'trailers', '1.2.3.4, 127.0.0.1', '/api/v1/nodes/agent/proxy/a/b/d%20%28e%29'],
    )
  })

  test('every method is passed on; a path without a slash is redirected', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      assert.equal(((await (await daemon.fetch('/api/v1/nodes/agent/proxy/x', { method })).json()) as Echo).method, method)
    assert.equal((await daemon.fetch('/api/v1/nodes/agent/proxy/x', { method: 'HEAD' })).status, 200)
    const root = await daemon.fetch('/api/v1/nodes/agent/proxy?a=b')
    assert.deepEqual([root.status, root.headers.get('location')], [301, '/api/v1/nodes/agent/proxy/?a=b'])
  })

  test('pods and services are reached without certificates, with links that lead through the server', async () => {
    const place = `${namespace}/pods/runner:${web.port}/proxy`
    const echo = (await (await daemon.fetch(`${place}/x`)).json()) as Echo
    assert.deepEqual([echo.url, echo.certificate], ['/x', undefined])
    assert.equal(
      await (await daemon.fetch(`${place}/html`)).text(),
      `<body background=${place}/bg.png><a href="${place}/x?a=1&amp;b">t</a><img src=rel.png><script src="${place}/s.js">"<a href=/no>"</script>`,
    )
    const moved = await daemon.fetch(`${place}/moved`)
    assert.deepEqual([moved.status, moved.headers.get('location')], [302, `${place}/there/?x=1`])
    for (const name of ['access-control-allow-origin', 'x-hop']) assert.equal(moved.headers.get(name), null)

    await api.create(`${namespace}/services`, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } })
    const target = { ip: address, targetRef: { kind: 'Pod', namespace: 'default', name: 'runner' } }
    await api.create(`${namespace}/endpoints`, {
      metadata: { name: 'web' },
      subsets: [{ addresses: [target], ports: [{ name: 'http', port: web.port }] }],
    })
    for (const name of ['web:80', 'web:http', 'http:web:http'])
      assert.equal(((await (await daemon.fetch(`${namespace}/services/${name}/proxy/y`)).json()) as Echo).url, '/y')
    const secure = await daemon.fetch(`${namespace}/services/https:web:http/proxy/y`)
    assert.deepEqual([secure.status, ((await secure.json()) as Status).reason], [503, 'ServiceUnavailable'])
  })
})
