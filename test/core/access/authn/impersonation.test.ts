import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeImpersonation, impersonationModes } from '../../../../core/access/authn/impersonation.ts'
import { readImpersonation } from '../../../../core/access/authn/impersonation-headers.ts'
import type { Attributes, Authorizer } from '../../../../core/access/authz/authorizer.ts'
import { ApiError } from '../../../../core/answers/status.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { User } from '../../../../core/request/exchange.ts'
import { onResource } from '../authz/attributes.ts'

const platform = createPlatform('kubernetes')
const request = onResource('admin', 'list', 'pods', 'dev')
const text = ({ verb, group, resource, subresource, namespace, name }: Attributes) =>
  `${verb} ${resource}${group && `.${group}`}${subresource && `/${subresource}`} ${namespace && `${namespace}/`}${name}`.trim()

/** Allows exactly these rights, and records the requested ones. */
function allowing(...rights: string[]): Authorizer & { asked: string[] } {
  const asked: string[] = []
  return {
    name: 'test',
    asked,
    authorize: (attributes) => {
      asked.push(text(attributes))
      return rights.includes(text(attributes)) ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: 'why not' }
    },
  }
}

const impersonate = (wanted: User, authorizer: Authorizer, as: Attributes = request) =>
  authorizeImpersonation(impersonationModes(wanted, as, platform), authorizer, undefined)

test('parses the headers', () => {
  const read = (...headers: [string, string][]) => readImpersonation(new Headers(headers))
  assert.equal(read(['accept', '*/*']), undefined)
  assert.equal(read(['impersonate-user', '']), undefined)
  assert.deepEqual(read(['Impersonate-User', 'jane']), { name: 'jane', groups: [] })
  assert.deepEqual(
    read(
      ['Impersonate-User', 'jane'],
      ['Impersonate-Uid', 'u1'],
      ['Impersonate-Group', 'a'],
      ['Impersonate-Group', 'b,c'],
      ['Impersonate-Extra-Acme.com%2FProject', 'x'],
      ['Impersonate-Extra-Acme.com%2FProject', 'y'],
      ['Impersonate-Extra-100%', 'z'],
    ),
    {
      name: 'jane',
      uid: 'u1',
      groups: ['a', 'b,c'],
      extra: Object.assign(Object.create(null), { '100%': ['z'], 'acme.com/project': ['x', 'y'] }),
    },
  )
  const latin1 = Buffer.from('Žofie').toString('latin1')
  assert.equal(read(['impersonate-user', latin1])?.name, 'Žofie')
})

test('groups, uid or extra without a user name are a bad request', () => {
  const refuses = (headers: [string, string][], message: string) =>
    assert.throws(
      () => readImpersonation(new Headers(headers)),
      (error) => error instanceof ApiError && error.status.code === 400 && error.message === message,
    )
  refuses(
    [['impersonate-group', 'a']],
    'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name',
  )
  refuses(
    [
      ['impersonate-uid', 'u'],
      ['impersonate-extra-k', 'v'],
    ],
    'requested &user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
  )
})

test('requires the verb impersonate on user, groups, uid and each extra value', async () => {
  const rights = [
    'impersonate users jane',
    'impersonate uids.authentication.k8s.io u1',
    'impersonate groups a',
    'impersonate groups b',
    'impersonate userextras.authentication.k8s.io/k v',
  ]
  const wanted = { name: 'jane', uid: 'u1', groups: ['a', 'b'], extra: { k: ['v'] } }
  const { user, constraint } = await impersonate(wanted, allowing(...rights))
  assert.deepEqual(user, { ...wanted, groups: ['a', 'b', 'system:authenticated'] })
  assert.equal(constraint, '')
  for (const missing of rights) {
    await assert.rejects(impersonate(wanted, allowing(...rights.filter((right) => right !== missing))), { name: 'ApiError' }, missing)
  }
})

test('reports the first refusal', async () => {
  await assert.rejects(
    impersonate({ name: 'jane', groups: [] }, allowing()),
    (error) =>
      error instanceof ApiError &&
      error.status.code === 403 &&
      error.message ===
        'pods is forbidden: User "admin" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "dev": why not',
  )
})

test('adds system:authenticated and the groups of service accounts', async () => {
  const groupsOf = async (name: string, right: string, ...groups: string[]) =>
    (await impersonate({ name, groups }, allowing(right, ...groups.map((group) => `impersonate groups ${group}`)))).user.groups
  assert.deepEqual(await groupsOf('jane', 'impersonate users jane'), ['system:authenticated'])
  assert.deepEqual(await groupsOf('system:anonymous', 'impersonate users system:anonymous'), ['system:unauthenticated'])
  assert.deepEqual(await groupsOf('jane', 'impersonate users jane', 'system:unauthenticated'), ['system:unauthenticated'])
  assert.deepEqual(await groupsOf('system:serviceaccount:dev:bot', 'impersonate serviceaccounts dev/bot'), [
    'system:serviceaccounts',
    'system:serviceaccounts:dev',
    'system:authenticated',
  ])
  assert.deepEqual(await groupsOf('system:serviceaccount:dev:bot', 'impersonate serviceaccounts dev/bot', 'x'), [
    'x',
    'system:authenticated',
  ])
  assert.deepEqual(await groupsOf('system:serviceaccount:Dev:bot', 'impersonate users system:serviceaccount:Dev:bot'), [
    'system:authenticated',
  ])
  assert.deepEqual(await groupsOf('system:node:n', 'impersonate users system:node:n'), ['system:authenticated'])
})

test('constrained impersonation', async () => {
  const on = (mode: string) => `impersonate-on:${mode}:list pods dev/`
  const jane = await impersonate(
    { name: 'jane', groups: [] },
    allowing(on('user-info'), 'impersonate:user-info users.authentication.k8s.io jane'),
  )
  assert.deepEqual([jane.constraint, jane.user.groups], ['impersonate:user-info', ['system:authenticated']])

  const bot = await impersonate(
    { name: 'system:serviceaccount:dev:bot', groups: [] },
    allowing(on('serviceaccount'), 'impersonate:serviceaccount serviceaccounts.authentication.k8s.io dev/bot'),
  )
  assert.equal(bot.constraint, 'impersonate:serviceaccount')

  const node = await impersonate(
    { name: 'system:node:n1', groups: [] },
    allowing(on('arbitrary-node'), 'impersonate:arbitrary-node nodes.authentication.k8s.io n1'),
  )
  assert.deepEqual(node.user.groups, ['system:nodes', 'system:authenticated'])

  const masters = allowing(
    on('user-info'),
    'impersonate:user-info users.authentication.k8s.io jane',
    'impersonate:user-info groups.authentication.k8s.io system:masters',
  )
  await assert.rejects(
    impersonate({ name: 'jane', groups: ['system:masters'] }, masters),
    /impersonating the system:masters group is not allowed/,
  )
  const many = allowing(
    on('user-info'),
    'impersonate:user-info users.authentication.k8s.io jane',
    'impersonate:user-info groups.authentication.k8s.io *',
  )
  assert.ok(await impersonate({ name: 'jane', groups: ['a', 'b', 'c', 'd'] }, many))
  await assert.rejects(impersonate({ name: 'jane', groups: ['a', 'b', 'c'] }, many))
})

test('a service account on a node may impersonate only that node', async () => {
  const key = 'authentication.kubernetes.io/node-name'
  const agent = { name: 'system:serviceaccount:dev:agent', groups: [], extra: { [key]: ['n1'] } }
  const as = { ...request, user: agent }
  const authorizer = allowing('impersonate-on:associated-node:list pods dev/', 'impersonate:associated-node nodes.authentication.k8s.io *')
  const { constraint, user } = await impersonate({ name: 'system:node:n1', groups: [] }, authorizer, as)
  assert.deepEqual([constraint, user.name], ['impersonate:associated-node', 'system:node:n1'])
  await assert.rejects(impersonate({ name: 'system:node:n2', groups: [] }, authorizer, as))
  await assert.rejects(impersonate({ name: 'system:node:n1', groups: ['x'] }, authorizer, as))
  const [mode] = impersonationModes({ name: 'system:node:n1', groups: [] }, as, platform)
  assert.deepEqual(mode?.checks[0]?.each[0]?.user.extra, { 'authentication.kubernetes.io/associated-node-keys': [key] })
})

test('without the feature gate only the legacy mode works', () => {
  const wanted = { name: 'system:node:n1', groups: [] }
  assert.deepEqual(
    impersonationModes(wanted, request, platform, false).map(({ constraint }) => constraint),
    [''],
  )
})
