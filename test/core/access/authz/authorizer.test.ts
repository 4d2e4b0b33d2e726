import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alwaysAllow, alwaysDeny, privilegedGroups } from '../../../../core/access/authz/always.ts'
import { type Authorizer, authorizerChain, type Decision } from '../../../../core/access/authz/authorizer.ts'
import { forbiddenError, forbiddenMessage } from '../../../../core/access/authz/forbidden.ts'
import { createAuthorizer } from '../../../../core/access/authz/modes.ts'
import { nodeOf } from '../../../../core/access/authz/node.ts'
import { followNodes } from '../../../../core/access/authz/node-follow.ts'
import { RbacIndex } from '../../../../core/access/authz/rbac-index.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { ManualClock } from '../../../support/clock.ts'
import { onPath, onResource, userOf } from './attributes.ts'

const request = onResource('x', 'get', 'pods', 'dev', 'web')
const fixed = (verdict: Decision['verdict'], reason: string, late = false): Authorizer => ({
  name: reason,
  authorize: () => (late ? Promise.resolve({ verdict, reason }) : { verdict, reason }),
})

test('a chain takes the first opinion, and is synchronous where possible', async () => {
  const none = fixed('no-opinion', 'n')
  assert.deepEqual(authorizerChain([none, fixed('allow', 'a'), fixed('deny', 'd')]).authorize(request, undefined), {
    verdict: 'allow',
    reason: 'a',
  })
  assert.deepEqual(authorizerChain([none, fixed('deny', 'd'), alwaysAllow]).authorize(request, undefined), { verdict: 'deny', reason: 'd' })
  assert.deepEqual(authorizerChain([none, alwaysDeny, fixed('no-opinion', '')]).authorize(request, undefined), {
    verdict: 'no-opinion',
    reason: 'n\nEverything is forbidden.',
  })
  assert.deepEqual(authorizerChain([]).authorize(request, undefined), { verdict: 'no-opinion', reason: '' })
  const late = authorizerChain([none, fixed('no-opinion', 'l', true), fixed('no-opinion', 'm', true), none])
  assert.deepEqual(await late.authorize(request, undefined), { verdict: 'no-opinion', reason: 'n\nl\nm\nn' })
  assert.deepEqual(await authorizerChain([fixed('deny', 'd', true), alwaysAllow]).authorize(request, undefined), {
    verdict: 'deny',
    reason: 'd',
  })
})

test('errors of authorizers without opinion are kept, errors of others are ignored', async () => {
  const failing = (error: string, late = false): Authorizer => ({
    name: error,
    authorize: () => (late ? Promise.resolve({ verdict: 'no-opinion', reason: '', error }) : { verdict: 'no-opinion', reason: '', error }),
  })
  assert.deepEqual(await authorizerChain([failing('e'), fixed('no-opinion', 'n', true)]).authorize(request, undefined), {
    verdict: 'no-opinion',
    reason: 'n',
    error: 'e',
  })
  assert.equal((await authorizerChain([failing('e', true), failing('f')]).authorize(request, undefined)).error, '[e, f]')
  assert.deepEqual(await authorizerChain([failing('e', true), fixed('allow', 'a')]).authorize(request, undefined), {
    verdict: 'allow',
    reason: 'a',
  })
})

test('rules of several authorizers are joined', () => {
  const silent: Authorizer = { name: 'silent', authorize: () => ({ verdict: 'no-opinion', reason: '' }) }
  const broken = (evaluationError: string): Authorizer => ({
    ...silent,
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError }),
  })
  assert.deepEqual(authorizerChain([silent, alwaysAllow, broken('a'), broken('b')]).rulesFor?.(userOf('x'), 'dev'), {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: true,
    evaluationError: '[a, b]',
  })
})

const of = (...types: string[]) => types.map((type) => ({ type }))

test('modes', async () => {
  const platform = createPlatform()
  const nodes = followNodes(
    () => undefined,
    new ManualClock(),
    platform,
    () => {},
  )
  const context = { rbac: new RbacIndex('rbac'), platform, nodes, policies: [], enabled: () => false }
  const verdict = async (modes: string[], who: string) =>
    (await createAuthorizer(of(...modes), context).authorize(onResource(who, 'get', 'pods'), undefined)).verdict
  assert.equal(await verdict(['AlwaysAllow'], 'x'), 'allow')
  assert.equal(await verdict(['AlwaysDeny'], 'x'), 'no-opinion')
  assert.equal(await verdict(['AlwaysDeny'], 'x+system:masters'), 'allow')
  assert.equal(await verdict(['Node', 'RBAC'], 'x'), 'no-opinion')
  assert.equal(await verdict(['Node', 'RBAC'], 'system:node:n+system:nodes'), 'no-opinion')
  assert.equal(await verdict(['ABAC', 'AlwaysAllow'], 'x'), 'allow')
  const health = createAuthorizer(of('AlwaysDeny'), context)
  // No path is exempt: health checks are allowed by a cluster role.
  for (const path of ['/healthz', '/livez', '/readyz', '/healthz/ping', '/metrics', '/'])
    assert.equal((await health.authorize(onPath('x', 'get', path), undefined)).verdict, 'no-opinion')
  assert.throws(() => createAuthorizer(of('RBAC', 'Bouncer'), context), /unknown authorization mode "Bouncer"/)
  assert.throws(() => createAuthorizer(of('toString'), context), /unknown authorization mode/)
  assert.throws(() => createAuthorizer(of('RBAC', 'RBAC'), context), /given twice/)
})

test('the privileged group, and nodes', () => {
  const authorize = (who: string) => privilegedGroups('wheel').authorize({ ...request, user: userOf(who) }, undefined)
  assert.deepEqual(
    [authorize('x+wheel'), authorize('wheel')].map((decision) => (decision as Decision).verdict),
    ['allow', 'no-opinion'],
  )
  assert.equal(nodeOf(userOf('system:node:n1+system:nodes')), 'n1')
  assert.equal(nodeOf(userOf('system:node:n1')), undefined)
  assert.equal(nodeOf(userOf('system:node:+system:nodes')), undefined)
  assert.equal(nodeOf(userOf('n1+system:nodes')), undefined)
})

test('messages of refusals', () => {
  assert.equal(
    forbiddenMessage(onResource('x', 'list', 'pods', 'default'), ''),
    'User "x" cannot list resource "pods" in API group "" in the namespace "default"',
  )
  assert.equal(
    forbiddenMessage(onResource('x', 'update', 'deployments.apps/scale', '', 'web'), 'no'),
    'User "x" cannot update resource "deployments/scale" in API group "apps" at the cluster scope: no',
  )
  assert.equal(forbiddenMessage(onPath('x', 'get', '/metrics'), ''), 'User "x" cannot get path "/metrics"')
  assert.equal(forbiddenMessage(onPath('<b>&', 'get', '/'), '<i>'), 'User "&lt;b&gt;&amp;" cannot get path "/": <i>')
  assert.deepEqual(forbiddenError(onResource('x', 'get', 'deployments.apps', 'dev', 'web'), '').status, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'deployments.apps "web" is forbidden: User "x" cannot get resource "deployments" in API group "apps" in the namespace "dev"',
    reason: 'Forbidden',
    details: { name: 'web', group: 'apps', kind: 'deployments' },
    code: 403,
  })
  const path = forbiddenError(onPath('system:anonymous', 'get', '/metrics'), '').status
  assert.equal(path.message, 'forbidden: User "system:anonymous" cannot get path "/metrics"')
  assert.deepEqual(path.details, {})
})
