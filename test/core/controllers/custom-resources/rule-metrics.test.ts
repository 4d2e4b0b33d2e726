/** Metrics of validation rules of custom resources. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'

test('compilations and evaluations of rules are counted', async () => {
  const { fetch, close } = await startInProcess()
  const post = (path: string, body: object) =>
    fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const rules = [{ rule: 'self.size < 5' }, { rule: 'self.size > 0' }]
  const spec = { type: 'object', properties: { size: { type: 'integer' } }, 'x-kubernetes-validations': rules }
  const definition = {
    metadata: { name: 'boxes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  }
  assert.equal((await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status, 201)
  const boxes = '/apis/example.com/v1/namespaces/default/boxes'
  const box = (name: string, size: number) => ({ apiVersion: 'example.com/v1', kind: 'Box', metadata: { name }, spec: { size } })
  await eventually('the resource', async () => (await fetch(boxes)).status === 200)
  for (const size of [1, 2, 3, 9]) assert.equal((await post(boxes, box(`b${size}`, size))).status, size === 9 ? 422 : 201)
  const metrics = await (await fetch('/metrics')).text()
  assert.match(metrics, /^apiserver_cel_compilation_duration_seconds_count 1$/m)
  assert.match(metrics, /^apiserver_cel_evaluation_duration_seconds_count 4$/m)
  assert.match(metrics, /^apiserver_cel_evaluation_duration_seconds_bucket\{le="10"\} 4$/m)
  await close()
})
