/** Audit annotations set by admission plugins, under the keys of kube-apiserver. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addAnnotation } from '../../../core/admission/annotations.ts'
import type { AdmissionPlugin } from '../../../core/admission/attributes.ts'
import type { PluginContext } from '../../../core/admission/context.ts'
import { validatingAdmissionPolicy } from '../../../core/admission/plugins/validating-admission-policy.ts'
import { mutatingWebhooks } from '../../../core/admission/webhooks/mutating.ts'
import { validatingWebhooks } from '../../../core/admission/webhooks/validating.ts'
import type { StoredObject } from '../../../core/objects/storage/stored-object.ts'
import { attributesOf, once } from './attributes.ts'
import { contextWith } from './context.ts'

const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c', namespace: 'dev', labels: { team: 'a' } } }
/** Selectors and rules as defaults complete them. */
const everything = { namespaceSelector: {}, objectSelector: {} }
const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }]

/** A plugin context that serves these objects, by plural. */
function following(objects: { readonly [plural: string]: readonly object[] }, more: Partial<PluginContext> = {}): PluginContext {
  const follow: PluginContext['follow'] = (_group, plural, follower) => {
    for (const [index, each] of (objects[plural] ?? []).entries())
      follower.upsert?.({ key: String(index), object: each } as unknown as StoredObject)
    return { ready: Promise.resolve(), close() {} }
  }
  return contextWith({ 'namespaces//dev': { metadata: { name: 'dev' } } }, { follow, ...more })
}

/** Runs a plugin on a create; resolves to its annotations and the refusal, if any. */
async function annotationsOf(plugin: AdmissionPlugin) {
  const annotations = new Map<string, string>()
  const confidential = new Map<string, string>()
  const annotate = (key: string, value: string, level?: string) =>
    addAnnotation(level === 'Request' ? confidential : annotations, key, value)
  const attributes = attributesOf({ on: 'configmaps', operation: 'CREATE', object: structuredClone(object), namespace: 'dev', annotate })
  let refusal: string | undefined
  try {
    await plugin.mutate?.(attributes, once)
    await plugin.validate?.(attributes)
  } catch (error) {
    refusal = (error as Error).message
  }
  return { annotations: Object.fromEntries(annotations), confidential: Object.fromEntries(confidential), refusal }
}

test('annotation keys have a domain, and are not overwritten', () => {
  const annotations = new Map<string, string>()
  for (const [key, value] of [
    ['a.com/b', '1'],
    ['a.com/b', '2'],
    ['plain', '1'],
    ['a.com/b/c', '1'],
    ['a.com/', '1'],
    ['UPPER.com/b', '1'],
    ['a.com/b c', '1'],
  ] as const)
    addAnnotation(annotations, key, value)
  assert.deepEqual([...annotations], [['a.com/b', '1']])
})

const policy = (name: string, spec: object) => ({
  metadata: { name, uid: name, generation: 1 },
  spec: { matchConstraints: { resourceRules: rules, ...everything }, ...spec },
})
const binding = (name: string, policyName: string, validationActions: string[]) => ({
  metadata: { name },
  spec: { policyName, validationActions },
})

test('policies: their own annotations, and the first violation of a binding with the Audit action', async () => {
  const plugin = await validatingAdmissionPolicy(
    following({
      validatingadmissionpolicies: [
        policy('notes.example.com', {
          auditAnnotations: [
            { key: 'team', valueExpression: 'string(object.metadata.labels.team)' },
            { key: 'nothing', valueExpression: 'null' },
            { key: 'name', valueExpression: "'is ' + object.metadata.name" },
          ],
        }),
        policy('strict.example.com', {
          validations: [{ expression: 'true' }, { expression: "object.metadata.name != 'c'", message: 'not c' }],
        }),
      ],
      validatingadmissionpolicybindings: [
        binding('one', 'notes.example.com', ['Deny']),
        binding('two', 'notes.example.com', ['Deny']),
        binding('audited', 'strict.example.com', ['Audit', 'Warn']),
      ],
    }),
  )
  const { annotations, refusal } = await annotationsOf(plugin)
  assert.equal(refusal, undefined)
  const { 'validation.policy.admission.k8s.io/validation_failure': failure, ...others } = annotations
  assert.deepEqual(others, { 'notes.example.com/team': 'a', 'notes.example.com/name': 'is c' })
  assert.deepEqual(JSON.parse(failure ?? ''), [
    { message: 'not c', policy: 'strict.example.com', binding: 'audited', expressionIndex: 1, validationActions: ['Audit', 'Warn'] },
  ])
})

const webhook = (name: string, more: object = {}) => ({
  name,
  clientConfig: { url: `https://hooks.example.com/${name}` },
  rules,
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  sideEffects: 'None',
  timeoutSeconds: 5,
  ...everything,
  admissionReviewVersions: ['v1'],
  ...more,
})
const configurations = [
  {
    metadata: { name: 'hooks' },
    webhooks: [
      webhook('other.example.com', { rules: [] }),
      webhook('noted.example.com'),
      webhook('broken.example.com'),
      webhook('changing.example.com'),
    ],
  },
]
const patch = btoa(JSON.stringify([{ op: 'add', path: '/metadata/labels/x', value: 'y' }]))
const answers: { readonly [name: string]: object } = {
  'noted.example.com': { auditAnnotations: { checked: 'yes', 'not a key': 'dropped' } },
  'changing.example.com': { patchType: 'JSONPatch', patch },
}

const outbound = (mutating: boolean): PluginContext['outbound'] => ({
  async fetch(request) {
    const name = new URL(request.url).pathname.slice(1)
    if (name === 'broken.example.com') return new Response('', { status: 500 })
    const { uid } = ((await request.json()) as { request: { uid: string } }).request
    const { patch: _patch, patchType: _type, ...plain } = (answers[name] ?? {}) as { patch?: string; patchType?: string }
    const response = { uid, allowed: true, ...(mutating ? answers[name] : plain) }
    return Response.json({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response })
  },
  call: () => Promise.reject(new Error('not in this test')),
})

test('mutating webhooks: their own annotations, the webhooks that changed the object and those that failed open', async () => {
  const plugin = await mutatingWebhooks(following({ mutatingwebhookconfigurations: configurations }, { outbound: outbound(true) }))
  const { annotations, confidential, refusal } = await annotationsOf(plugin)
  assert.equal(refusal, undefined)
  assert.deepEqual(confidential, {
    'patch.webhook.admission.k8s.io/round_0_index_3':
      '{"configuration":"hooks","webhook":"changing.example.com","patch":[{"op":"add","path":"/metadata/labels/x","value":"y"}],"patchType":"JSONPatch"}',
  })
  const mutation = (name: string, mutated: boolean) => JSON.stringify({ configuration: 'hooks', webhook: name, mutated })
  assert.deepEqual(annotations, {
    'noted.example.com/checked': 'yes',
    'mutation.webhook.admission.k8s.io/round_0_index_1': mutation('noted.example.com', false),
    'failed-open.mutation.webhook.admission.k8s.io/round_0_index_2': 'broken.example.com',
    'mutation.webhook.admission.k8s.io/round_0_index_2': mutation('broken.example.com', false),
    'mutation.webhook.admission.k8s.io/round_0_index_3': mutation('changing.example.com', true),
  })
})

test('validating webhooks: their own annotations, and the webhooks that failed open', async () => {
  const plugin = await validatingWebhooks(following({ validatingwebhookconfigurations: configurations }, { outbound: outbound(false) }))
  const { annotations, refusal } = await annotationsOf(plugin)
  assert.equal(refusal, undefined)
  assert.deepEqual(annotations, {
    'noted.example.com/checked': 'yes',
    'failed-open.validating.webhook.admission.k8s.io/round_0_index_1': 'broken.example.com',
  })
})
