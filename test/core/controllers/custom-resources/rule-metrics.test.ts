/** Metrics of validation rules of custom resources. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionsPath, smallDefinition } from '../../../conformance/definitions.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

test('compilations and evaluations of rules are counted', async (t) => {
  const { api } = await startInProcess({}, t)
  const rules = [{ rule: 'self.size < 5' }, { rule: 'self.size > 0' }]
  const spec = { type: 'object', properties: { size: { type: 'integer' } }, 'x-kubernetes-validations': rules }
  await api.create(definitionsPath, smallDefinition('example.com', 'Crate', { openAPIV3Schema: { type: 'object', properties: { spec } } }))
  const crates = '/apis/example.com/v1/namespaces/default/crates'
  const crate = (name: string, size: number) => ({ apiVersion: 'example.com/v1', kind: 'Crate', metadata: { name }, spec: { size } })
  await eventually('the resource', async () => (await api.get(crates)).status === 200)
  for (const size of [1, 2, 3, 9]) assert.equal((await api.send('POST', crates, crate(`c${size}`, size))).status, size === 9 ? 422 : 201)
  const { body: metrics } = await api.get<string>('/metrics')
  assert.match(metrics, /^apiserver_cel_compilation_duration_seconds_count 1$/m)
  assert.match(metrics, /^apiserver_cel_evaluation_duration_seconds_count 4$/m)
  assert.match(metrics, /^apiserver_cel_evaluation_duration_seconds_bucket\{le="10"\} 4$/m)
})
