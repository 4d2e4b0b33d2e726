import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abacAuthorizer } from '../../../../core/access/authz/abac.ts'
import { parsePolicyFile } from '../../../../core/access/authz/abac-policy.ts'
import type { Attributes, Decision } from '../../../../core/access/authz/authorizer.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { onPath, onResource, userOf } from './attributes.ts'

const platform = createPlatform()
const line = (spec: object) => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })
const parse = (...lines: string[]) => parsePolicyFile(lines.join('\n'), 'policies', platform)

const authorizer = abacAuthorizer(
  parse(
    '# who may do what',
    '',
    line({ user: 'admin', namespace: '*', resource: '*', apiGroup: '*' }),
    line({ user: 'admin', nonResourcePath: '*' }),
    line({ user: 'bob', namespace: 'dev', resource: 'pods', readonly: true }),
    line({ group: 'ops', namespace: '*', resource: 'nodes' }),
    line({ user: 'carol', group: 'ops', namespace: 'prod', resource: '*', apiGroup: 'apps' }),
    line({ user: '*', nonResourcePath: '/version', readonly: true }),
    line({ group: 'ops', nonResourcePath: '/debug/*' }),
    line({ namespace: '*', resource: '*', apiGroup: '*' }),
    '{"user":"old","resource":"pods"}',
    '{"user":"ancient"}',
    '{"group":"*","namespace":"shared","readonly":true}',
  ).policies,
)

const cases: readonly (readonly [Attributes, boolean])[] = [
  [onResource('admin', 'delete', 'deployments.apps', 'dev'), true],
  [onResource('admin', 'list', 'nodes'), true],
  [onPath('admin', 'post', '/anything'), true],
  [onResource('bob', 'get', 'pods', 'dev', 'web'), true],
  [onResource('bob', 'watch', 'pods', 'dev'), true],
  [onResource('bob', 'list', 'pods/log', 'dev'), true],
  [onResource('bob', 'create', 'pods', 'dev'), false],
  [onResource('bob', 'get', 'pods', 'prod', 'web'), false],
  [onResource('bob', 'get', 'pods.metrics', 'dev', 'web'), false],
  [onResource('bob', 'get', 'secrets', 'dev', 'web'), false],
  [onPath('bob', 'get', '/metrics'), false],
  [onResource('x+ops', 'delete', 'nodes', '', 'n'), true],
  [onResource('x', 'get', 'nodes', '', 'n'), false],
  [onResource('x+ops', 'get', 'nodes.example', '', 'n'), false],
  [onResource('carol+ops', 'update', 'deployments.apps', 'prod'), true],
  [onResource('carol', 'update', 'deployments.apps', 'prod'), false],
  [onResource('dave+ops', 'update', 'deployments.apps', 'prod'), false],
  [onResource('carol+ops', 'update', 'pods', 'prod'), false],
  [onPath('x+system:authenticated', 'get', '/version'), true],
  [onPath('x+system:authenticated', 'post', '/version'), false],
  [onPath('x+system:unauthenticated', 'get', '/version'), false],
  [onPath('x+ops', 'post', '/debug/pprof'), true],
  [onPath('x+ops', 'post', '/debug'), false],
  [onResource('nobody+system:authenticated', 'get', 'pods', 'dev'), false],
  [onResource('old', 'delete', 'pods', 'dev'), true],
  [onResource('old', 'delete', 'pods.example', 'any'), true],
  [onResource('old', 'get', 'secrets', 'dev'), false],
  [onPath('old', 'get', '/x'), false],
  [onPath('ancient', 'post', '/x'), true],
  [onResource('ancient', 'delete', 'secrets', 'dev'), true],
  [onResource('x+system:authenticated', 'get', 'secrets', 'shared'), true],
  [onResource('x+system:authenticated', 'update', 'secrets', 'shared'), false],
  [onResource('x', 'get', 'secrets', 'shared'), false],
]

test(`${cases.length} decisions`, () => {
  for (const [attributes, allowed] of cases) {
    const { user, verb, resource, namespace, path } = attributes
    const decision = authorizer.authorize(attributes, undefined) as Decision
    const expected = allowed ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: 'No policy matched.' }
    assert.deepEqual(decision, expected, `${user.name}+${user.groups} ${verb} ${resource}${path} ${namespace}`)
  }
})

test('an error in a file names the line', () => {
  const good = line({ user: 'x' })
  assert.throws(() => parse(good, '', 'oops'), /^Error: error reading policy file policies, line 3: oops: /)
  assert.throws(() => parse('[]'), /line 1: \[\]: must be an object/)
  assert.throws(() => parse(good, line({ user: 7 })), /line 2: .*: user must be a string/)
  assert.throws(() => parse(line({ readonly: 'yes' })), /line 1: .*: readonly must be true or false/)
  assert.throws(() => parse(good.replace('Policy', 'Rule')), /no kind "Rule" is registered for version/)
  assert.throws(() => parse(good.replace('v1beta1', 'v9')), /use Policy of abac.authorization.kubernetes.io\/v1beta1/)
  assert.throws(() => parse(good.replace('{"user":"x"}', '[]')), /spec must be an object/)
  assert.deepEqual(parse('{"user":"a"}', good).unversioned, 1)
  assert.deepEqual(parse('# nothing', ' ').policies, [])
})

test('lists its rules', () => {
  assert.deepEqual(authorizer.rulesFor?.(userOf('bob'), 'dev').resourceRules, [
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
  ])
  const { resourceRules, nonResourceRules, incomplete } = authorizer.rulesFor?.(userOf('ancient'), 'dev') ?? {}
  assert.deepEqual(resourceRules, [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }])
  assert.deepEqual(nonResourceRules, [{ verbs: ['*'], nonResourceURLs: ['*'] }])
  assert.equal(incomplete, false)
})
