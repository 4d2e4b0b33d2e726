/** Content of a namespace on other servers, which discovery tells of. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientResource, createClient } from '../../../core/controllers/client.ts'
import type { ControllerContext } from '../../../core/controllers/controller.ts'
import { deleteContent } from '../../../core/controllers/namespace-content.ts'
import type { GroupSource, PublishedVersion } from '../../../core/meta/group-source.ts'

const version = (name: string, resources: readonly (readonly [name: string, verbs: string])[], more: Partial<PublishedVersion> = {}) =>
  ({
    group: 'example.com',
    version: name,
    groupVersion: `example.com/${name}`,
    path: `/apis/example.com/${name}`,
    priority: 1,
    service: false,
    freshness: 'Current',
    resources: () =>
      resources.map(([plural, verbs]) => ({
        rows: [{ name: plural, subresource: '', kind: 'Any', verbs: verbs.split(',') }],
        singular: '',
        namespaced: !plural.startsWith('global'),
      })),
    ...more,
  }) satisfies PublishedVersion

/** Requests that a deletion makes, and its result. `answers`: by method and path; otherwise 405. */
async function deleting(versions: readonly PublishedVersion[], answers: { readonly [request: string]: object | number | string }) {
  const requests: string[] = []
  const remote: GroupSource = { revision: 1, groups: () => [{ name: 'example.com', priority: 1, versions }] }
  const client = createClient(async (request) => {
    const name = `${request.method} ${request.url.replace(/^https?:\/\/[^/]*/, '').replace('/apis/example.com/', '')}`
    requests.push(name)
    const answer = answers[name] ?? 405
    if (typeof answer === 'number') return new Response('no\n', { status: answer })
    return typeof answer === 'string' ? new Response(answer, { status: 503 }) : Response.json(answer)
  }, 'test')
  const context = {
    remote,
    client: (resource: ClientResource) => client(resource),
    table: { all: () => [] },
  } as unknown as ControllerContext
  return { requests, ...(await deleteContent(context, 'team')) }
}

const list = (...names: readonly string[]) => ({ metadata: {}, items: names.map((name) => ({ metadata: { name, finalizers: ['a/b'] } })) })

test('a resource is deleted once, in the preferred version that has it', async () => {
  const { requests, resources, failures } = await deleting(
    [
      version('v1', [
        ['things', 'delete,deletecollection,list'],
        ['readable', 'get,list'],
        ['globals', 'delete,deletecollection,list'],
      ]),
      version('v1beta1', [
        ['things', 'delete,deletecollection,list'],
        ['old', 'delete,deletecollection,list'],
      ]),
    ],
    {
      'DELETE v1/namespaces/team/things': {},
      'GET v1/namespaces/team/things?limit=500': list(),
      'DELETE v1beta1/namespaces/team/old': {},
      'GET v1beta1/namespaces/team/old?limit=500': list(),
    },
  )
  assert.deepEqual(requests, [
    'DELETE v1/namespaces/team/things',
    'GET v1/namespaces/team/things?limit=500',
    'DELETE v1beta1/namespaces/team/old',
    'GET v1beta1/namespaces/team/old?limit=500',
  ])
  assert.deepEqual([resources.size, failures], [0, []])
})

test('without deletion of collections, objects are deleted one by one, and what is left is counted', async () => {
  const first = { metadata: { continue: 'n&xt' }, items: list('a/b').items }
  const { requests, resources, finalizers, failures } = await deleting([version('v1', [['things', 'delete,deletecollection,list']])], {
    'GET v1/namespaces/team/things?limit=500': first,
    'GET v1/namespaces/team/things?limit=500&continue=n%26xt': list('c'),
    'DELETE v1/namespaces/team/things/a%2Fb': {},
    'DELETE v1/namespaces/team/things/c': 404,
  })
  assert.deepEqual(
    requests.filter((each) => each.startsWith('DELETE')),
    ['DELETE v1/namespaces/team/things', 'DELETE v1/namespaces/team/things/a%2Fb', 'DELETE v1/namespaces/team/things/c'],
  )
  assert.deepEqual([[...resources], [...finalizers], failures], [[['things.example.com', 2]], [['a/b', 2]], []])
})

test('a resource that can not be listed holds nothing up, a server that fails does', async () => {
  assert.deepEqual((await deleting([version('v1', [['things', 'delete,deletecollection']])], {})).failures, [])
  const { failures, undiscovered } = await deleting(
    [version('v1', [['things', 'delete,deletecollection,list']]), version('v2', [], { freshness: 'Stale' })],
    { 'DELETE v1/namespaces/team/things': 'service unavailable\n' },
  )
  assert.deepEqual([failures, undiscovered], [['the server is currently unable to handle the request'], ['example.com/v2']])
})

test('names that are no segment of a path are not asked for', async () => {
  for (const odd of ['..', '', 'a/b', 'a%2fb', 'a?b', 'A', 'a b', '../../../../api/v1/namespaces/kube-system/secrets']) {
    assert.deepEqual((await deleting([version('v1', [[odd, 'delete,deletecollection,list']])], {})).requests, [], odd)
  }
})
