/** Lists that were given as empty ones are absent once an object is stored: no later write finds them there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../resources/support.ts'

const client = startServer()

const rules = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }
const webhook = {
  name: 'a.b.c',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://a.b' },
  rules: [rules],
}
const objects = [
  {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    spec: { podSelector: {}, ingress: [{ ports: [], from: [] }], egress: [] },
  },
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) => ({
    path: `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`,
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    webhooks: [{ ...webhook, rules: [] }],
  })),
]
const types = ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json']

for (const { path, ...object } of objects)
  test(`the generation of a ${object.kind} with empty lists counts only changes of its content`, async () => {
    const { send } = await client
    const metadata = { name: 'empty' }
    assert.equal((await send('POST', path, { ...object, metadata })).code, 201)
    for (const [index, type] of types.entries()) {
      const labels = { a: String(index) }
      const patch = type === 'json-patch+json' ? [{ op: 'add', path: '/metadata/labels', value: labels }] : { metadata: { labels } }
      const { body } = await send('PATCH', `${path}/empty`, patch, `application/${type}`)
      assert.deepEqual([body.metadata['labels'], body.metadata['generation']], [labels, 1], type)
    }
    const { resourceVersion } = (await send('GET', `${path}/empty`)).body.metadata
    const whole = await send('PUT', `${path}/empty`, { ...object, metadata: { ...metadata, resourceVersion } })
    assert.equal(whole.body.metadata['generation'], 2, 'a write of the lists themselves is a change')
    const after = await send('PATCH', `${path}/empty`, { metadata: { labels: { b: '1' } } }, 'application/merge-patch+json')
    assert.equal(after.body.metadata['generation'], 2)
  })
