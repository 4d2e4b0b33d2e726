import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attributes } from '../../../../core/access/authz/authorizer.ts'
import { aggregate, type ClusterRoleObject } from '../../../../core/access/authz/rbac-aggregate.ts'
import { type BindingObject, RbacIndex, type RoleObject } from '../../../../core/access/authz/rbac-index.ts'
import { randomNumbers } from '../../../support/random.ts'
import { allowedByRbac } from './rbac-oracle.ts'

/** Random integers below n, the same in every run. */
function randomOf(seed: number) {
  const { integer: below, pick } = randomNumbers(seed)
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

const roundCount = 500
const requestsOfRound = 200
const cases = roundCount * requestsOfRound

/** Aggregated cluster roles: one by label, one by expression. */
const gatherers: readonly ClusterRoleObject[] = [
  { name: 'gather-a', selector: { matchLabels: { team: 'a' } } },
  { name: 'gather-any', selector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
].map(({ name, selector }) => ({ metadata: { name }, aggregationRule: { clusterRoleSelectors: [selector] }, rules: [] }))

/** The rules of aggregated roles, computed plainly: all rules of cluster roles with the label. */
function gathered(roles: Iterable<RoleObject>): RoleObject[] {
  const team = ({ metadata }: RoleObject) => (metadata as ClusterRoleObject['metadata']).labels?.['team']
  const own = [...roles].filter(({ metadata }) => metadata.namespace === undefined)
  const rulesOf = (wanted: (role: RoleObject) => boolean) => own.filter(wanted).flatMap(({ rules }) => rules ?? [])
  return [
    { metadata: { name: 'gather-a' }, rules: rulesOf((role) => team(role) === 'a') },
    { metadata: { name: 'gather-any' }, rules: rulesOf((role) => team(role) !== undefined) },
  ]
}

test(`agrees with a plain implementation of RBAC in ${cases} random cases`, (t) => {
  const { below, pick, some } = randomOf(20260101)
  let allowed = 0
  for (let round = 0; round < roundCount; round++) {
    const index = new RbacIndex('rbac')
    const roles = new Map<string, RoleObject>()
    const bindings = new Map<string, BindingObject>()
    const place = () => (below(2) === 0 ? undefined : pick(namespaces))

    const change = () => {
      const namespace = place()
      const labels = pick<{ [key: string]: string }>([{}, { team: 'a' }, { team: 'c' }])
      const metadata = { name: `x${below(4)}`, labels, ...(namespace !== undefined && { namespace }) }
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
        const roleRef = below(4) === 0 ? aggregated() : { kind: pick(['Role', 'ClusterRole', 'ClusterRole']), name: `x${below(4)}` }
        const binding = { metadata, roleRef, subjects }
        index.upsertBinding(binding)
        bindings.set(key, binding)
      }
    }
    const aggregated = () => ({ kind: 'ClusterRole', name: pick(gatherers).metadata.name ?? '' })
    const gather = () => {
      const clusterRoles = [...roles.values()].filter(({ metadata }) => metadata.namespace === undefined) as ClusterRoleObject[]
      for (const role of gatherers) index.upsertRole({ ...role, rules: aggregate(role, [...clusterRoles, ...gatherers]) })
      return [...roles.values(), ...gathered(roles.values())]
    }
    for (let step = 0; step < 60; step++) change()
    let all = gather()

    for (let request = 0; request < requestsOfRound; request++) {
      if (request % 10 === 0) {
        change()
        all = gather()
      }
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
      const expected = allowedByRbac(attributes, all, bindings.values())
      assert.equal('allowedBy' in index.decide(attributes), expected, JSON.stringify({ attributes, round, request }))
      if (expected) allowed++
    }
  }
  t.diagnostic(`${allowed} of ${cases} allowed`)
  assert.ok(allowed > cases / 10 && allowed < (cases * 9) / 10, `${allowed} allowed: the cases are lopsided`)
})
