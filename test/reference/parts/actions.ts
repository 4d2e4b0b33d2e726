/** Reviews with every field changed, and actions on pods, accounts, namespaces and certificate requests. */
import type { JsonObject } from '../../../core/schema/model.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, makes, objectOf, removes } from '../inputs/objects.ts'
import { plausible } from '../inputs/plausible.ts'
import { answeredKinds, storedKinds, titleOf } from '../kinds.ts'

const pods = '/api/v1/namespaces/default/pods'
const applied = { 'content-type': 'application/apply-patch+yaml' }
const merge = { 'content-type': 'application/merge-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

/** What makes a review or another answered object sensible. */
const samples: { readonly [kind: string]: JsonObject } = {
  TokenReview: { spec: { token: 'reference-alice' } },
  SubjectAccessReview: {
    spec: { user: 'alice', groups: ['dev'], resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  },
  LocalSubjectAccessReview: {
    metadata: { namespace: 'default' },
    spec: { user: 'alice', groups: ['dev'], resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  },
  SelfSubjectAccessReview: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  // A pod that is missing, because this is no dry run.
  Binding: { metadata: { name: 'missing' }, target: { kind: 'Node', name: 'x' } },
}

function* reviews(): Generator<Scene> {
  for (const definition of answeredKinds) {
    const { kind, group, version, schema } = definition
    const title = titleOf(definition)
    const path = collectionPath(definition)
    const base: JsonObject = {
      kind,
      apiVersion: group === '' ? version : `${group}/${version}`,
      ...(samples[kind] ?? (plausible(schema) as JsonObject)),
    }
    for (const token of [undefined, 'reference-alice'])
      yield { kind: title, at: `sample ${token ?? ''}`, calls: [{ ...send('POST', path, base), ...(token !== undefined && { token }) }] }
    for (const node of nodesOf(schema, base, new TriedFields(), () => true)) {
      if (node.path === '') continue
      const last =
        node.path
          .replaceAll(/\[\]|\{\}/g, '')
          .split('.')
          .at(-1) ?? ''
      for (const [what, value] of changesOf(node.schema, node.field, last).slice(0, node.path.startsWith('metadata') ? 4 : 14))
        yield { kind: title, at: `${node.path}: ${what}`, calls: [send('POST', `${path}?dryRun=All`, node.put(value))] }
    }
  }
}

function* onSubresources(): Generator<Scene> {
  for (const definition of storedKinds)
    for (const { name, verbs, schema, kind, group, version, connects } of definition.subresources) {
      if (connects) continue
      const object = objectOf(definition, 'acted')
      const path = `${collectionPath(definition)}/${(object['metadata'] as { name: string }).name}/${name}`
      const own = group === undefined ? undefined : { kind, apiVersion: group === '' ? (version ?? 'v1') : `${group}/${version}` }
      const base: JsonObject = own ? { ...own, metadata: { name: 'acted', namespace: 'default' } } : object
      const method = verbs.includes('create') ? 'POST' : 'PUT'
      const title = `${titleOf(definition)}/${name}`
      yield { kind: title, at: 'read', calls: [get(path)] }
      yield { kind: title, at: 'missing', calls: [send(method, path.replace('/acted/', '/missing/'), base)] }
      for (const node of nodesOf(schema, base, new TriedFields(), (each) => each !== 'metadata')) {
        if (node.path === '') continue
        const last =
          node.path
            .replaceAll(/\[\]|\{\}/g, '')
            .split('.')
            .at(-1) ?? ''
        for (const [what, value] of changesOf(node.schema, node.field, last).slice(0, node.seen ? 2 : own ? 14 : 5))
          yield { kind: title, at: `${node.path}: ${what}`, calls: [send(method, `${path}?dryRun=All`, node.put(value))] }
        if (node.seen || own) continue
        for (const headers of [merge, strategic, applied])
          yield {
            kind: title,
            at: `${node.path}: ${headers['content-type']}`,
            calls: [send('PATCH', `${path}?dryRun=All&fieldManager=other`, node.put(plausible(node.schema, last)), headers)],
          }
      }
    }
}

const pod = (name: string, more: object = {}, spec: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, ...more },
  spec: { containers: [{ name: 'main', image: 'example/main' }], ...spec },
})
const binding = (name: string, target: object) => ({ kind: 'Binding', apiVersion: 'v1', metadata: { name }, target })
const eviction = (name: string, more: object = {}, version = 'policy/v1') => ({
  kind: 'Eviction',
  apiVersion: version,
  metadata: { name, namespace: 'default' },
  ...more,
})
const post = (path: string, body: unknown): Call => send('POST', path, body)
const gone = (name: string): Call => ({ method: 'DELETE', path: `${pods}/${name}?gracePeriodSeconds=0` })

function* podLives(): Generator<Scene> {
  const life = (at: string, name: string, ...calls: Call[]): Scene => ({
    kind: 'pods',
    at,
    calls: [...calls, get(`${pods}/${name}`), gone(name)],
  })
  yield life(
    'bound',
    'bound',
    post(pods, pod('bound')),
    post(`${pods}/bound/binding`, binding('bound', { kind: 'Node', name: '' })),
    post(`${pods}/bound/binding`, binding('bound', { kind: 'Pod', name: 'x' })),
    post(`${pods}/bound/binding`, binding('other', { kind: 'Node', name: 'x' })),
    post(`${pods}/bound/binding`, {
      ...binding('bound', { kind: 'Node', name: 'x' }),
      metadata: { name: 'bound', annotations: { a: 'b' }, labels: { topology: 'x' } },
    }),
    get(`${pods}/bound`),
    post(`${pods}/bound/binding`, binding('bound', { kind: 'Node', name: 'y' })),
    post('/api/v1/namespaces/default/bindings', binding('bound', { kind: 'Node', name: 'x' })),
    send('PUT', `${pods}/bound`, pod('bound', {}, { nodeName: 'y' })),
    { method: 'DELETE', path: `${pods}/bound` },
    { method: 'DELETE', path: `${pods}/bound?gracePeriodSeconds=5` },
    { method: 'DELETE', path: `${pods}/bound?gracePeriodSeconds=50` },
    post(`${pods}/bound/binding`, binding('bound', { kind: 'Node', name: 'y' })),
    post(`${pods}/bound/eviction`, eviction('bound')),
  )
  yield life(
    'evicted',
    'evicted',
    post(pods, pod('evicted', { labels: { suite: 'evicted' } })),
    post(`${pods}/evicted/eviction`, eviction('other')),
    post(`${pods}/evicted/eviction`, { ...eviction('evicted'), metadata: {} }),
    post(`${pods}/evicted/eviction`, eviction('evicted', { deleteOptions: { dryRun: ['All'] } })),
    post(`${pods}/evicted/eviction`, eviction('evicted', { deleteOptions: { preconditions: { uid: 'x' } } })),
    post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      metadata: { name: 'evicted' },
      spec: { minAvailable: 1, selector: { matchLabels: { suite: 'evicted' } } },
    }),
    post(`${pods}/evicted/eviction`, eviction('evicted')),
    send('PATCH', `${pods}/evicted/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, merge),
    post(`${pods}/evicted/eviction`, eviction('evicted')),
    post(`${pods}/evicted/eviction`, eviction('evicted', {}, 'policy/v1beta1')),
    { method: 'DELETE', path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets/evicted' },
    post(`${pods}/evicted/eviction`, eviction('evicted')),
  )
  yield life(
    'gated',
    'gated',
    post(pods, pod('gated', {}, { schedulingGates: [{ name: 'a' }, { name: 'b' }] })),
    post(`${pods}/gated/binding`, binding('gated', { kind: 'Node', name: 'x' })),
    send('PATCH', `${pods}/gated`, { spec: { schedulingGates: [{ name: 'a' }] } }, merge),
    send('PATCH', `${pods}/gated`, { spec: { schedulingGates: [{ name: 'a' }, { name: 'c' }] } }, merge),
    send('PATCH', `${pods}/gated`, { spec: { nodeSelector: { a: 'b' } } }, merge),
    send('PATCH', `${pods}/gated`, { spec: { schedulingGates: null } }, merge),
  )
}

function* tokens(): Generator<Scene> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
  const request = (spec: object, kind = 'TokenRequest') => ({ kind, apiVersion: 'authentication.k8s.io/v1', spec })
  for (const spec of [
    {},
    { audiences: [] },
    { audiences: ['x'] },
    { expirationSeconds: 1 },
    { expirationSeconds: 600 },
    { expirationSeconds: 86_400 * 365 },
    { expirationSeconds: 2 ** 33 },
    { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'none' } },
    { boundObjectRef: { kind: 'Pod', apiVersion: 'v2', name: 'none' } },
    { boundObjectRef: {} },
  ])
    yield {
      kind: 'serviceaccounts/token',
      at: JSON.stringify(spec),
      calls: [post(path, request(spec)), post(`${path}?dryRun=All`, request(spec))],
    }
  yield {
    kind: 'serviceaccounts/token',
    at: 'used',
    calls: [
      post(path, request({ audiences: ['https://kubernetes.default.svc'] })),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        spec: { token: '{{0.status.token}}' },
      }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        kind: 'TokenReview',
        apiVersion: 'authentication.k8s.io/v1',
        spec: { token: '{{0.status.token}}', audiences: ['x'] },
      }),
      {
        ...post('/apis/authentication.k8s.io/v1/selfsubjectreviews', { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' }),
        token: '{{0.status.token}}',
      },
      { ...get(pods), token: '{{0.status.token}}' },
    ],
  }
}

function* scenes(): Generator<Scene> {
  yield* reviews()
  yield* onSubresources()
  yield* podLives()
  yield* tokens()
}

const acted = storedKinds.filter(({ subresources }) => subresources.length > 0)

export const actions: Part = {
  name: 'actions',
  before: () => [account, ...acted.flatMap((definition) => makes(definition, 'acted'))],
  scenes,
  after: () => acted.flatMap((definition) => removes(definition, (minimalObject(definition, 'acted').metadata as { name: string }).name)),
}
