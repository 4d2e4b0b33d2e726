import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers } from '../../../../core/access/authz/rbac-covers.ts'
import { escalation, fullAuthority } from '../../../../core/access/authz/rbac-escalation.ts'
import type { PolicyRule } from '../../../../core/access/authz/rbac-rule.ts'
import { assertCheap } from '../../../support/cost.ts'

const rule = (verbs: string, apiGroups: string, resources: string, resourceNames?: string): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: apiGroups.split(' '),
  resources: resources.split(' '),
  ...(resourceNames !== undefined && { resourceNames: resourceNames.split(' ') }),
})
const urls = (verbs: string, paths: string): PolicyRule => ({ verbs: verbs.split(' '), nonResourceURLs: paths.split(' ') })

const covered: readonly (readonly [string, PolicyRule[], PolicyRule[]])[] = [
  ['no rules', [], []],
  ['equal rules', [rule('get', 'apps', 'pods')], [rule('get', 'apps', 'pods')]],
  ['part of a rule', [rule('get list', 'apps batch', 'a b')], [rule('list', 'batch', 'b')]],
  ['a rule covered by several', [rule('get', 'apps', 'a'), rule('list', 'apps', 'a')], [rule('get list', 'apps', 'a')]],
  ['verbs by *', [rule('*', 'apps', 'a')], [rule('get frobnicate', 'apps', 'a')]],
  ['groups by *', [rule('get', '*', 'a')], [rule('get', 'x y', 'a')]],
  ['resources by *', [rule('get', 'apps', '*')], [rule('get', 'apps', 'a b/status')]],
  ['subresources by */x', [rule('get', 'apps', '*/scale')], [rule('get', 'apps', 'a/scale b/scale')]],
  ['resource names covered by a rule without names', [rule('get', 'apps', 'a')], [rule('get', 'apps', 'a', 'x y')]],
  ['resource names covered by more names', [rule('get', 'apps', 'a', 'x y z')], [rule('get', 'apps', 'a', 'x y')]],
  ['paths by *', [urls('get', '*')], [urls('get', '/x /y/*')]],
  ['paths by prefix', [urls('get', '/api/*')], [urls('get', '/api/v1 /api/v1/*')]],
  ['everything', [...fullAuthority], [rule('*', '*', '*'), urls('*', '*')]],
]
const missing: readonly (readonly [string, PolicyRule[], PolicyRule[], number])[] = [
  ['a verb', [rule('get', 'apps', 'a')], [rule('get list', 'apps', 'a')], 1],
  ['a group', [rule('get', 'apps', 'a')], [rule('get', 'apps batch', 'a')], 1],
  ['* of verbs', [rule('get list', 'apps', 'a')], [rule('*', 'apps', 'a')], 1],
  ['* of resources', [rule('get', 'apps', 'a')], [rule('get', 'apps', '*')], 1],
  ['a subresource', [rule('get', 'apps', 'a')], [rule('get', 'apps', 'a/status')], 1],
  ['the resource, where */scale is held', [rule('get', 'apps', '*/scale')], [rule('get', 'apps', 'a')], 1],
  ['all names, of which some are held', [rule('get', 'apps', 'a', 'x')], [rule('get', 'apps', 'a')], 1],
  ['two names, of which one is held', [rule('get', 'apps', 'a', 'x')], [rule('get', 'apps', 'a', 'x y')], 1],
  ['two rules, crossed', [rule('get', 'x', 'a'), rule('list', 'y', 'a')], [rule('get list', 'x y', 'a')], 2],
  ['paths', [urls('get', '/api/*')], [urls('get post', '/api/v1 /apis')], 3],
  ['paths, where resources are held', [rule('*', '*', '*')], [urls('get', '/')], 1],
  ['resources, where paths are held', [urls('*', '*')], [rule('get', '', 'pods')], 1],
]

test('covers', () => {
  for (const [what, owner, servant] of covered) assert.deepEqual(covers(owner, servant), [], what)
  for (const [what, owner, servant, count] of missing) assert.equal(covers(owner, servant).length, count, what)
})

test('a rule with a billion combinations is compared as a whole, and refused unless one rule covers it', async () => {
  const many = (prefix: string) => Array.from({ length: 1000 }, (_, number) => `${prefix}${number}`)
  const huge: PolicyRule = { verbs: many('v'), apiGroups: many('g'), resources: many('r') }
  await assertCheap('the comparison', 1_000, () => {
    assert.equal(covers([rule('get', '*', '*')], [huge]).length, 1)
    assert.deepEqual(covers(fullAuthority, [huge]), [])
  })
})

test('the message matches kube-apiserver', () => {
  const user = { name: 'bob', groups: ['team', 'system:authenticated'] }
  const held = { rules: [rule('get', '', 'pods')], problems: [] }
  assert.equal(escalation(user, held, [rule('get', '', 'pods', 'web')]), undefined)
  assert.equal(
    escalation(user, held, [rule('get list delete', '', 'pods'), rule('get', 'apps', 'deployments', 'web'), urls('get', '/metrics')]),
    [
      'user "bob" (groups=["team" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "delete"]}',
      '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["get"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ].join('\n'),
  )
  assert.match(escalation(user, { rules: [], problems: ['p', 'q'] }, fullAuthority) ?? '', /; resolution errors: \[p, q\]$/)
})
