/** Headers of every response. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../support/in-process.ts'

const origin = 'https://console.example.com'
const paths: readonly (readonly [path: string, status: number, cacheControl?: string])[] = [
  ['/version', 200],
  ['/healthz', 200],
  ['/healthz/no-such-check', 404],
  ['/metrics', 200],
  ['/', 200],
  ['/api', 200],
  ['/apis', 200],
  ['/apis/apps/v1', 200],
  ['/openapi/v2', 200],
  ['/openapi/v3', 200],
  ['/no/such/path', 404],
  ['/apis/no.such.group/v1/things', 404],
  ['/api/v1/namespaces/default', 200],
  ['/api/v1/namespaces/nowhere', 404],
  ['/api/v1/namespaces?watch=1&timeoutSeconds=1', 200],
  ['/api/v1/namespaces?limit=x', 400],
  ['/api/v1/pods?timeout=x', 400],
]

test('Audit-Id, Cache-Control, HSTS and CORS are on every response, errors too', async (t) => {
  const { fetch } = await startInProcess(
    {
      controllers: [],
      hstsDirectives: ['max-age=31536000', 'includeSubDomains'],
      corsAccepts: (from) => from === origin,
    },
    t,
  )
  const headers = { origin, 'audit-id': 'mine' }
  const expected = {
    'audit-id': 'mine',
    'cache-control': 'no-cache, private',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'access-control-allow-origin': origin,
  }
  for (const [path, status] of paths) {
    const response = await fetch(path, { headers })
    assert.equal(response.status, status, path)
    const found = Object.fromEntries(Object.keys(expected).map((name) => [name, response.headers.get(name)]))
    assert.deepEqual(found, expected, path)
    await response.body?.cancel()
  }
  const preflight = await fetch('/api/v1/pods', { method: 'OPTIONS', headers })
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, origin])
  assert.equal((await fetch('/version', { method: 'POST' })).status, 405)
})

test('responses 401 and 403 can be read across origins', async (t) => {
  for (const [options, status] of [
    [{ anonymous: false }, 401],
    [{ authorizationModes: ['RBAC'] }, 403],
  ] as const) {
    const { fetch } = await startInProcess({ controllers: [], corsAccepts: () => true, ...options }, t)
    const response = await fetch('/api/v1/pods', { headers: { origin } })
    assert.equal(response.status, status)
    assert.equal(response.headers.get('access-control-allow-origin'), origin)
    assert.ok(response.headers.get('audit-id'))
  }
})

test('warnings of authentication also reach non-resource paths', async (t) => {
  const warned = { authenticate: () => ({ user: { name: 'jane', groups: [] }, warnings: ['this credential is old'] }), name: 'old' }
  const { fetch } = await startInProcess({ controllers: [], authenticators: [warned] }, t)
  for (const path of ['/version', '/api/v1/namespaces']) {
    const response = await fetch(path)
    assert.equal(response.headers.get('warning'), '299 - "this credential is old"', path)
  }
})

test('cacheable OpenAPI documents say so', async (t) => {
  const { fetch } = await startInProcess({ controllers: [] }, t)
  const index = (await (await fetch('/openapi/v3')).json()) as { paths: { [name: string]: { serverRelativeURL: string } } }
  const response = await fetch(String(index.paths['version']?.serverRelativeURL))
  assert.equal(response.headers.get('cache-control'), 'public, immutable')
})
