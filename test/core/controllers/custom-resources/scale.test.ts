import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, definitionOf, versionOf, widget } from '../../../conformance/custom-resources.ts'
import { assertFailure } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'

test('a scale needs no resourceVersion, and the kind validates its replicas', async (t) => {
  const { api } = await startInProcess({}, t)
  const group = 'scale.example.com'
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const subresources = { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } }
  await define(api, definitionOf(group, { versions: [versionOf('v1', { storage: true, schema, subresources })] }))
  const widgets = `/apis/${group}/v1/namespaces/default/widgets`
  assert.equal((await api.send('POST', widgets, { ...widget(group, 'a'), spec: { replicas: 1 } })).status, 201)
  const scale = (replicas: number) =>
    api.send('PUT', `${widgets}/a/scale`, { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'a' }, spec: { replicas } })
  assertFailure(
    await scale(-1),
    422,
    'Invalid',
    /^Widget\.scale\.example\.com "a" is invalid: \.spec\.replicas: Invalid value: -1: should be a non-negative integer$/,
  )
  const { status, body } = await scale(3)
  assert.equal(status, 200)
  assert.deepEqual(body.spec, { replicas: 3 })
})
