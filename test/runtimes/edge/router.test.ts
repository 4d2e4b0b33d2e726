import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byHost, byPath, type Route, routeRequest, type TokenUser } from '../../../runtimes/edge/index.ts'
import { routedUser } from '../../../runtimes/edge/routed-user.ts'

/** Control planes that answer with their name, the path and the user that they see. */
const namespace = {
  idFromName: (name: string) => ({ name }),
  get: (id: object) => ({
    fetch: async (request: Request) => {
      const { pathname, search } = new URL(request.url)
      const connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' } as const
      const authenticated = await routedUser.authenticate(request, connection, undefined)
      return Response.json({ ...id, path: pathname + search, user: authenticated?.user, body: await request.text() })
    },
  }),
}

const ask = async (
  url: string,
  route: Route,
  authenticate?: (request: Request, name: string) => TokenUser | undefined,
  init?: RequestInit,
) => {
  const response = await routeRequest(new Request(url, init), { namespace, route, ...(authenticate && { authenticate }) })
  return { status: response.status, body: (await response.json()) as { readonly [name: string]: unknown } }
}

test('finds a control plane by path', async () => {
  const route = byPath('/clusters/')
  const { body } = await ask('https://x/clusters/team-a/api/v1/pods?limit=1', route)
  assert.deepEqual([body['name'], body['path']], ['team-a', '/api/v1/pods?limit=1'])
  assert.equal((await ask('https://x/clusters/team-a', route)).body['path'], '/')
  assert.equal((await ask('https://x/clusters/a/b', route, undefined, { method: 'POST', body: 'text' })).body['body'], 'text')
  for (const path of [
    '/',
    '/api',
    '/clusters/',
    '/clusters/A/api',
    '/clusters/a.b/api',
    `/clusters/${'a'.repeat(64)}/api`,
    '/clusters/%2e/',
  ])
    assert.equal((await ask(`https://x${path}`, route)).status, 404, path)
})

test('finds a control plane by host', async () => {
  const route = byHost('example.com')
  const { body } = await ask('https://team.example.com/api', route)
  assert.deepEqual([body['name'], body['path']], ['team', '/api'])
  for (const host of ['example.com', 'a.b.example.com', 'example.org', 'teamexample.com'])
    assert.equal((await ask(`https://${host}/api`, route)).status, 404, host)
})

test('a control plane sees the user of the router, and none of the client', async () => {
  const route = byPath('/clusters/')
  const user = { name: 'ádá', groups: ['team'], extra: { key: ['ü'] } }
  const url = 'https://x/clusters/a/api'
  const authenticate = ({ headers }: Request, name: string) => (headers.get('authorization') === `Bearer ${name}` ? user : undefined)
  const known = await ask(url, route, authenticate, { headers: { authorization: 'Bearer a' } })
  assert.deepEqual(known.body['user'], { ...user, groups: ['team', 'system:authenticated'] })
  const unknown = await ask(url, route, authenticate, { headers: { authorization: 'Bearer b' } })
  assert.deepEqual([unknown.status, unknown.body['reason']], [401, 'Unauthorized'])
  const forged = { 'x-apiserver-routed-user': encodeURIComponent(JSON.stringify({ name: 'root', groups: ['system:masters'] })) }
  assert.equal((await ask(url, route, undefined, { headers: forged })).body['user'], undefined)
})
