import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '../../../core/filters/filter.ts'
import { createRouter, type OptionalHandler } from '../../../core/filters/router.ts'
import type { Exchange, RequestInfo } from '../../../core/request/exchange.ts'
import { requestInfo } from '../../../core/request/info.ts'
import { startInProcess } from '../../support/in-process.ts'
import { within } from '../../support/wait.ts'

const group = 'metrics.example.com'

test('a delegate serves its group version with all paths below it, and no others', async (t) => {
  const delegates = new Map<string, Handler>()
  const { server } = await startInProcess({ delegates })
  t.after(() => server.close())
  const ask = async (path: string, method = 'GET') => {
    const response = await server.fetch(new Request(`http://server${path}`, { method }))
    return { status: response.status, audited: response.headers.has('audit-id'), text: await response.text() }
  }
  const own = ['', '/', '/nodes', '/namespaces/shop/pods/one', '/namespaces/shop/pods/one/status'].map(
    (below) => `/apis/${group}/v1${below}`,
  )
  for (const path of own) assert.equal((await ask(path)).status, 404, path)

  delegates.set(`${group}/v1`, ({ info }) => new Response(`${info.verb} ${info.path}`))
  for (const path of own) {
    const { status, audited, text } = await ask(path)
    assert.deepEqual([status, audited, text.split(' ')[1]], [200, true, path])
  }
  assert.match((await ask(`/apis/${group}/v1/nodes`, 'DELETE')).text, /^deletecollection /)
  for (const path of [`/apis/${group}`, `/apis/${group}/v2/nodes`, `/api/${group}/v1`, `/openapi/v3/apis/${group}/v1`])
    assert.equal((await ask(path)).status, 404, path)
  assert.equal((await ask('/api/v1/namespaces/default')).status, 200)

  delegates.clear()
  for (const path of own) assert.equal((await ask(path)).status, 404, path)
})

test('a delegate is called only for authorized requests', async (t) => {
  let asked = 0
  const delegates = new Map<string, Handler>([[`${group}/v1`, () => new Response(`${++asked}`)]])
  const { server } = await startInProcess({ delegates, authorizationModes: ['RBAC'] })
  t.after(() => server.close())
  const response = await server.fetch(new Request(`http://server/apis/${group}/v1/nodes`))
  assert.deepEqual([response.status, asked], [403, 0])
})

test('the bodies of a delegated request and of its response are streams', async (t) => {
  const delegates = new Map<string, Handler>([[`${group}/v1`, ({ request }) => new Response(request.body)]])
  const { server } = await startInProcess({ delegates })
  t.after(() => server.close())
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const init = { method: 'POST', body: readable, duplex: 'half' }
  const { body } = await within(
    'the response before the end of the request',
    server.fetch(new Request(`http://server/apis/${group}/v1/nodes`, init)),
  )
  assert(body)
  const reader = body.getReader()
  for (const text of ['first', 'second']) {
    const written = writer.write(new TextEncoder().encode(text))
    const { value } = await within(`the ${text} part`, reader.read())
    assert.equal(new TextDecoder().decode(value), text)
    await written
  }
  await writer.close()
  assert.deepEqual((await within('the end', reader.read())).done, true)
})

test('what this server does not serve is left to others, in order; nobody else gets what it serves', async () => {
  const asked: string[] = []
  const part =
    (name: string, has: (info: RequestInfo) => boolean): OptionalHandler =>
    ({ info }) => {
      asked.push(name)
      return has(info) ? new Response(name) : undefined
    }
  const handle = createRouter({
    delegates: () => [],
    resources: part('resources', ({ resource }) => resource === 'pods'),
    fixed: part('fixed', ({ path }) => path === '/version'),
    owns: (path) => path.startsWith('/apis/three/'),
    others: [part('first', ({ group }) => group === 'one'), part('second', ({ group, path }) => group === 'two' || path === '/two')],
  })
  const ask = async (path: string) => {
    asked.length = 0
    const answer = await handle({ info: requestInfo('GET', path, new URLSearchParams()) } as Exchange)
    return [await answer.text(), ...asked]
  }
  assert.deepEqual(await ask('/api/v1/pods'), ['resources', 'resources'])
  assert.deepEqual(await ask('/version'), ['fixed', 'fixed'])
  assert.deepEqual(await ask('/apis/one/v1/things'), ['first', 'resources', 'first'])
  assert.deepEqual(await ask('/apis/two/v1/things'), ['second', 'resources', 'first', 'second'])
  assert.deepEqual(await ask('/two'), ['second', 'fixed', 'first', 'second'])
  await assert.rejects(ask('/apis/three/v1/things'), /the server could not find the requested resource/)
  await assert.rejects(ask('/apis/four/v1/things'), { name: 'PlainError', code: 404, message: '404 page not found' })
})
