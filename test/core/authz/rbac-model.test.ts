import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attributes } from '../../../core/authz/authorizer.ts'
import { type BindingObject, RbacIndex, type RoleObject } from '../../../core/authz/rbac-index.ts'
import { allowedByRbac } from './rbac-oracle.ts'

/** Numbers below n, the same in every run. */
function randomOf(seed: number) {
  let state = seed
  const below = (n: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n
  }
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const some = <T>(list: readonly T[], most: number): T[] => Array.from({ length: below(most) + 1 }, () => pick(list))
  return { below, pick, some }
}

const users = ['ann', 'bob', 'system:serviceaccount:dev:bot', 'system:serviceaccount:prod:bot', 'system:anonymous']
const groups = ['team', 'ops', 'system:authenticated']
const namespaces = ['dev', 'prod']
const verbs = ['get', 'list', 'create', '*']
const apiGroups = ['', 'apps', '*']
const resources = ['pods', 'pods/log', 'deployments', 'deployments/scale', '*/scale', '*', '*/log']
const names = ['a', 'b']
const urls = ['*', '/healthz', '/api/*', '/api', '/a*']
const paths = ['/healthz', '/api', '/api/v1', '/apis', '/']

test('agrees with the naive reading of RBAC in 20,000 random cases', (t) => {
  const { below, pick, some } = randomOf(20260101)
  let allowed = 0
  for (let round = 0; round < 100; round++) {
    const index = new RbacIndex('rbac')
    const roles = new Map<string, RoleObject>()
    const bindings = new Map<string, BindingObject>()
    const place = () => (below(2) === 0 ? undefined : pick(namespaces))

    const change = () => {
      const namespace = place()
      const metadata = { name: `x${below(4)}`, ...(namespace !== undefined && { namespace }) }
      const key = `${namespace ?? ''}/${metadata.name}`
      const action = below(12)
      if (action === 0) {
        index.removeRole(namespace ?? '', metadata.name)
        roles.delete(key)
      } else if (action === 1) {
        index.removeBinding(namespace ?? '', metadata.name)
        bindings.delete(key)
      } else if (action < 7) {
        const rules = Array.from({ length: 1 + below(4) }, () =>
          below(4) === 0
            ? { verbs: some(verbs, 3), nonResourceURLs: some(urls, 2) }
            : {
                verbs: some(verbs, 3),
                apiGroups: some(apiGroups, 3),
                resources: some(resources, 3),
                resourceNames: below(4) === 0 ? some(names, 2) : [],
              },
        )
        const role = { metadata, rules }
        index.upsertRole(role)
        roles.set(key, role)
      } else {
        const subjects = Array.from({ length: 1 + below(4) }, () => {
          const kind = pick(['User', 'Group', 'ServiceAccount'])
          const home = below(2) === 0 ? { namespace: pick(namespaces) } : {}
          return kind === 'ServiceAccount' ? { kind, name: 'bot', ...home } : { kind, name: pick(kind === 'User' ? users : groups) }
        })
        const roleRef = { kind: pick(['Role', 'ClusterRole', 'ClusterRole']), name: `x${below(4)}` }
        const binding = { metadata, roleRef, subjects }
        index.upsertBinding(binding)
        bindings.set(key, binding)
      }
    }
    for (let step = 0; step < 60; step++) change()

    for (let request = 0; request < 200; request++) {
      if (request % 10 === 0) change()
      const isResource = below(5) > 0
      const [resource = '', subresource = ''] = pick(['pods', 'pods/log', 'deployments', 'deployments/scale', 'nodes']).split('/')
      const attributes: Attributes = {
        user: { name: pick(users), groups: some(groups, 2) },
        verb: pick(['get', 'list', 'create']),
        isResource,
        path: isResource ? '' : pick(paths),
        group: isResource ? pick(['', 'apps', 'batch']) : '',
        version: 'v1',
        resource: isResource ? resource : '',
        subresource: isResource ? subresource : '',
        name: isResource ? pick(['', 'a', 'c']) : '',
        namespace: isResource ? pick(['', ...namespaces]) : '',
      }
      const expected = allowedByRbac(attributes, roles.values(), bindings.values())
      assert.equal('allowedBy' in index.decide(attributes), expected, JSON.stringify({ attributes, round, request }))
      if (expected) allowed++
    }
  }
  t.diagnostic(`${allowed} of 20000 allowed`)
  assert.ok(allowed > 2000 && allowed < 18000, `${allowed} allowed: the cases are lopsided`)
})
