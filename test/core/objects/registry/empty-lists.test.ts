/** Lists that were given as empty ones are absent once an object is stored: no later write finds them there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../resources/support.ts'

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

test('an empty list in place of an absent one is a change where it is for the original', async () => {
  const { send } = await client
  const { path, ...object } = objects.at(-1) ?? assert.fail()
  await send('POST', path, { ...object, webhooks: undefined, metadata: { name: 'none' } })
  for (const [type, generation] of [
    ['merge-patch+json', 2],
    ['strategic-merge-patch+json', 3],
  ] as const) {
    const { body } = await send('PATCH', `${path}/none`, { webhooks: [] }, `application/${type}`)
    assert.equal(body.metadata['generation'], generation, type)
  }
})

test('a link to itself that an update brings is in the answer of a dry run only', async () => {
  const { send } = await client
  const path = '/api/v1/namespaces/default/configmaps'
  await send('POST', path, { metadata: { name: 'linked', selfLink: '/x' } })
  const patched = async (query: string) => {
    const { body } = await send('PATCH', `${path}/linked${query}`, { metadata: { selfLink: '/x' } }, 'application/merge-patch+json')
    return body.metadata['selfLink']
  }
  assert.deepEqual([await patched('?dryRun=All'), await patched('')], ['/x', undefined])
})
