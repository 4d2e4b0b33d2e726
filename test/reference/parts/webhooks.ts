/** Webhooks: what they are told, what they may answer, and what becomes of requests when they fail. Each on objects with a label of its own. */
import { type Call, type Part, type Scene, send } from '../exchange.ts'
import { hook, patched } from '../hooks.ts'

const api = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/default/configmaps'
const dry = 'dryRun=All'

type Phase = 'mutating' | 'validating'
const collections = { mutating: `${api}/mutatingwebhookconfigurations`, validating: `${api}/validatingwebhookconfigurations` } as const
const kinds = { mutating: 'MutatingWebhookConfiguration', validating: 'ValidatingWebhookConfiguration' } as const

/** A configuration with webhooks, by name; `webhooks`: what differs from the usual one. */
interface Hooked {
  readonly name: string
  readonly phase: Phase
  readonly webhooks: readonly object[]
  /** Default: creates of a config map. */
  readonly calls?: readonly Call[]
}

const map = (name: string, more: object = {}) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'hooked', labels: { suite: name } },
  data: { a: '1' },
  ...more,
})

const operations = ['CREATE', 'UPDATE', 'DELETE']
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: ['configmaps'] }]

const webhook = (name: string, index: number, more: object) => ({
  name: `hook-${index}.${name}.example.com`,
  clientConfig: { url: hook.answer({ allowed: true }), caBundle: '{{authority}}' },
  rules,
  objectSelector: { matchLabels: { suite: name } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 10,
  ...more,
})

const at = (url: string, more: object = {}) => ({ clientConfig: { url, caBundle: '{{authority}}' }, ...more })
const answers = (members: object, more: object = {}) => at(hook.answer(members), more)

/** Answers that either phase may get. */
const given: { readonly [name: string]: readonly object[] } = {
  allows: [answers({ allowed: true })],
  denies: [answers({ allowed: false })],
  'denies-with-message': [answers({ allowed: false, status: { message: 'not here' } })],
  'denies-with-reason': [answers({ allowed: false, status: { reason: 'Invalid', message: 'not here' } })],
  'denies-with-code': [answers({ allowed: false, status: { code: 418, message: 'a teapot' } })],
  'denies-with-success': [answers({ allowed: false, status: { status: 'Success', code: 200, message: 'fine' } })],
  'denies-with-details': [
    answers({
      allowed: false,
      status: {
        ...{ status: 'Failure', reason: 'Invalid', code: 422, message: 'no', metadata: { resourceVersion: '3' } },
        details: { name: 'x', kind: 'y', causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data.a' }], retryAfterSeconds: 2 },
      },
    }),
  ],
  'allows-with-status': [answers({ allowed: true, status: { code: 500, message: 'ignored' } })],
  warns: [answers({ allowed: true, warnings: ['one', '', 'two "quoted"', 'three\nlines', 'é'] })],
  'warns-long': [answers({ allowed: true, warnings: Array.from({ length: 20 }, (_, index) => `${index} ${'x'.repeat(300)}`) })],
  'warns-and-denies': [answers({ allowed: false, warnings: ['one'], status: { message: 'no' } })],
  'two-warn': [answers({ allowed: true, warnings: ['one'] }), answers({ allowed: true, warnings: ['one', 'two'] })],
  'second-denies': [answers({ allowed: true }), answers({ allowed: false, status: { message: 'no' } })],
  'annotates-audit': [answers({ allowed: true, auditAnnotations: { 'a/b': 'c', d: 'e' } })],
  'other-uid': [at(hook.review({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'x', allowed: true } }))],
  'no-uid': [at(hook.review({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { allowed: true } }))],
  'other-version': [
    at(hook.review({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1', response: { uid: '{{uid}}', allowed: true } })),
  ],
  'other-kind': [at(hook.review({ kind: 'Review', apiVersion: 'admission.k8s.io/v1', response: { uid: '{{uid}}', allowed: true } }))],
  'no-kind': [at(hook.review({ response: { uid: '{{uid}}', allowed: true } }))],
  'no-response': [at(hook.review({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }))],
  'wrong-type': [
    at(hook.review({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: '{{uid}}', allowed: 'x' } })),
  ],
  'no-json': [at(hook.text(200, 'not JSON'))],
  'empty-body': [at(hook.text(200, ''))],
  'status-404': [at(hook.text(404, 'nothing here'))],
  'status-500': [at(hook.text(500, '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"broken","code":500}'))],
  'status-500-ignored': [at(hook.text(500, 'broken'), { failurePolicy: 'Ignore' })],
  'no-json-ignored': [at(hook.text(200, 'not JSON'), { failurePolicy: 'Ignore' })],
  silent: [at(hook.silent, { timeoutSeconds: 1 })],
  'silent-ignored': [at(hook.silent, { timeoutSeconds: 1, failurePolicy: 'Ignore' })],
  'closed-port': [at('https://127.0.0.1:1/x')],
  'other-authority': [{ clientConfig: { url: hook.answer({ allowed: true }) } }],
  'no-service': [{ clientConfig: { service: { namespace: 'default', name: 'none', path: '/x' } } }],
  'no-service-ignored': [{ clientConfig: { service: { namespace: 'default', name: 'none' } }, failurePolicy: 'Ignore' }],
  'condition-false': [answers({ allowed: false }, { matchConditions: [{ name: 'a', expression: 'object.data.a == "2"' }] })],
  'condition-true': [answers({ allowed: false }, { matchConditions: [{ name: 'a', expression: 'request.operation == "CREATE"' }] })],
  'condition-fails': [answers({ allowed: true }, { matchConditions: [{ name: 'a', expression: 'object.data.b == "2"' }] })],
  'condition-fails-ignored': [
    answers({ allowed: false }, { matchConditions: [{ name: 'a', expression: 'object.data.b == "2"' }], failurePolicy: 'Ignore' }),
  ],
  'condition-fails-beside-false': [
    answers(
      { allowed: false },
      {
        matchConditions: [
          { name: 'a', expression: 'object.data.b == "2"' },
          { name: 'b', expression: 'false' },
        ],
      },
    ),
  ],
  'other-namespace': [answers({ allowed: false }, { namespaceSelector: { matchLabels: { none: 'x' } } })],
  'cluster-scope': [answers({ allowed: false }, { rules: [{ ...rules[0], scope: 'Cluster' }] })],
  'other-operation': [answers({ allowed: false }, { rules: [{ ...rules[0], operations: ['UPDATE'] }] })],
  'all-resources': [
    answers({ allowed: false }, { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] }),
  ],
  'v1beta1-first': [answers({ allowed: false }, { admissionReviewVersions: ['v1beta1', 'v1'] })],
}

const changes = (name: string, ...list: object[]): Hooked => ({
  name: `patch-${name}`,
  phase: 'mutating',
  webhooks: [answers({ allowed: true, ...patched(...list) })],
})

const add = (path: string, value: unknown) => ({ op: 'add', path, value })

const mutations: readonly Hooked[] = [
  changes('label', add('/metadata/labels/x', 'y')),
  changes('data', add('/data/b', '2'), { op: 'remove', path: '/data/a' }),
  changes('nothing'),
  changes('test-fails', { op: 'test', path: '/data/a', value: '2' }),
  changes('no-such-path', { op: 'remove', path: '/data/none' }),
  changes('below-nothing', add('/spec/a/b', 1)),
  changes('unknown-field', add('/unknown', 1)),
  changes('wrong-type', add('/data/b', 1)),
  changes('wrong-type-of-data', add('/data', [])),
  changes('name', add('/metadata/name', 'other')),
  changes('namespace', add('/metadata/namespace', 'other')),
  changes('uid', add('/metadata/uid', 'x')),
  changes('kind', add('/kind', 'Secret')),
  changes('invalid-label', add('/metadata/labels/x', 'a b')),
  changes('unknown-operation', { op: 'x', path: '/data' }),
  changes('managed-fields', add('/metadata/managedFields', [])),
  changes('whole', { op: 'replace', path: '', value: map('patch-whole', { data: { z: '1' } }) }),
  changes('move', { op: 'move', from: '/data/a', path: '/data/c' }, { op: 'copy', from: '/data/c', path: '/data/d' }),
  { name: 'patch-untyped', phase: 'mutating', webhooks: [answers({ allowed: true, patch: patched(add('/data/b', '2')).patch })] },
  {
    name: 'patch-type',
    phase: 'mutating',
    webhooks: [answers({ allowed: true, patchType: 'x', patch: patched(add('/data/b', '2')).patch })],
  },
  { name: 'patch-empty', phase: 'mutating', webhooks: [answers({ allowed: true, patchType: 'JSONPatch', patch: '' })] },
  { name: 'patch-no-list', phase: 'mutating', webhooks: [answers({ allowed: true, patchType: 'JSONPatch', patch: 'e30=' })] },
  { name: 'patch-denied', phase: 'mutating', webhooks: [answers({ allowed: false, ...patched(add('/data/b', '2')) })] },
  { name: 'patch-validating', phase: 'validating', webhooks: [answers({ allowed: true, ...patched(add('/data/b', '2')) })] },
  {
    name: 'patch-twice',
    phase: 'mutating',
    webhooks: [
      at(hook.annotate, { reinvocationPolicy: 'IfNeeded' }),
      answers({ allowed: true, ...patched(add('/data/b', '2')) }),
      at(hook.annotate),
    ],
  },
]

const patchOf = { 'content-type': 'application/merge-patch+json' }
const applied = { 'content-type': 'application/apply-patch+yaml' }
const stored = (name: string) => map(name, { metadata: { name: `hooked-${name}`, labels: { suite: name } } })

/** Each operation, seen by a webhook that tells what it was told. */
const told = (name: string): readonly Call[] => [
  send('POST', `${maps}?${dry}&fieldManager=x&fieldValidation=Warn`, { ...map(name), unknown: 1 }),
  send(
    'PATCH',
    `${maps}/hooked-applied?${dry}&fieldManager=x`,
    { ...map(name), metadata: { name: 'hooked-applied', labels: { suite: name } } },
    applied,
  ),
  send('PUT', `${maps}/hooked-${name}?${dry}`, { ...stored(name), data: { a: '2' } }),
  send('PATCH', `${maps}/hooked-${name}?${dry}`, { data: { a: '2' } }, patchOf),
  send('PATCH', `${maps}/hooked-${name}?${dry}`, {}, patchOf),
  { method: 'DELETE', path: `${maps}/hooked-${name}?${dry}&gracePeriodSeconds=0` },
  send('DELETE', `${maps}/hooked-${name}?${dry}`, { propagationPolicy: 'Foreground', preconditions: { uid: 'x' } }),
  { method: 'DELETE', path: `${maps}?${dry}&labelSelector=suite%3D${name}` },
]

const tellers: readonly Hooked[] = [
  { name: 'tell-validating', phase: 'validating', webhooks: [at(hook.tell)], calls: told('tell-validating') },
  {
    name: 'tell-v1beta1',
    phase: 'validating',
    webhooks: [at(hook.tell, { admissionReviewVersions: ['v1beta1'] })],
    calls: told('tell-v1beta1'),
  },
  {
    name: 'tell-mutating',
    phase: 'mutating',
    webhooks: [at(hook.annotate, { rules: [{ ...rules[0], operations: ['CREATE', 'UPDATE'] }] })],
    calls: told('tell-mutating'),
  },
]

function* all(): Generator<Hooked> {
  for (const phase of ['mutating', 'validating'] as const)
    for (const [what, webhooks] of Object.entries(given)) yield { name: `${phase.slice(0, 3)}-${what}`, phase, webhooks }
  yield* mutations
  yield* tellers
}

/** When this one denies, those that were written before it are known. */
const last: Hooked = { name: 'last', phase: 'validating', webhooks: [answers({ allowed: false })] }
const lastMutating: Hooked = { name: 'last-mutating', phase: 'mutating', webhooks: [answers({ allowed: false })] }
const ends = [lastMutating, last]

const configuration = ({ name, phase, webhooks }: Hooked) => ({
  kind: kinds[phase],
  apiVersion: 'admissionregistration.k8s.io/v1',
  metadata: { name: `hooked-${name}` },
  webhooks: webhooks.map((more, index) => webhook(name, index, more)),
})

const makes = (hooked: Hooked): Call => send('POST', collections[hooked.phase], configuration(hooked))
const removes = ({ name, phase }: Hooked): Call => ({ method: 'DELETE', path: `${collections[phase]}/hooked-${name}` })
const objects = tellers.map(({ name }) => stored(name))

const sceneOf = (hooked: Hooked): Scene => ({
  kind: 'webhooks',
  at: `${hooked.name} ${JSON.stringify(hooked.webhooks)}`,
  calls: [
    send('POST', `${collections[hooked.phase]}?${dry}`, configuration({ ...hooked, name: `${hooked.name}-dry` })),
    ...(hooked.calls ?? [send('POST', `${maps}?${dry}`, map(hooked.name))]),
  ],
})

export const webhooks: Part = {
  name: 'webhooks',
  small: true,
  before: () => [
    ...[...all(), ...ends].map(removes),
    ...objects.flatMap((object) => [{ method: 'DELETE', path: `${maps}/${object.metadata.name}` }, send('POST', maps, object)]),
    ...[...all(), ...ends].map(makes),
    ...ends.map(({ name }) => ({ ...send('POST', `${maps}?${dry}`, map(name)), until: 403 })),
  ],
  scenes: () => [...all()].map(sceneOf),
  after: () => [
    ...[...all(), ...ends].map(removes),
    ...objects.map((object) => ({ method: 'DELETE', path: `${maps}/${object.metadata.name}` })),
  ],
}
