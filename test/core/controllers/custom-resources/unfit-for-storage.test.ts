import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, definitionOf, versionOf, widget } from '../../../conformance/custom-resources.ts'
import { startInProcess } from '../../../support/in-process.ts'

test('an object that is invalid in the storage version is refused with the errors', async (t) => {
  const { api } = await startInProcess({}, t)
  const group = 'unfit.example.com'
  const open = { 'x-kubernetes-preserve-unknown-fields': true }
  const holding = {
    openAPIV3Schema: { type: 'object', properties: { part: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open } } },
  }
  const anything = { openAPIV3Schema: { type: 'object', ...open } }
  const versions = [versionOf('v2', { storage: true, schema: holding }), versionOf('v1', { schema: anything })]
  await define(api, definitionOf(group, { versions }))
  const part = { apiVersion: 'a/b', kind: 'Part', metadata: { name: 5 } }
  const { status, body } = await api.send('POST', `/apis/${group}/v1/namespaces/default/widgets`, { ...widget(group, 'a'), part })
  assert.equal(status, 500)
  assert.deepEqual(body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'part.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    code: 500,
  })
})
