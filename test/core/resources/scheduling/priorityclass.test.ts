import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'scheduling.k8s.io/v1'
const reserved = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "

tables(
  client,
  { path: `/apis/${apiVersion}/priorityclasses`, manifest: { apiVersion, kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 } },
  {
    stored: [
      ['all defaults', {}, { preemptionPolicy: 'PreemptLowerPriority', value: 1000 }],
      ['no value', { value: undefined }, { value: 0 }],
    ],
    refused: [
      [
        'value in the system range',
        { value: 1000000001 },
        ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
      ],
      ['unknown system class', { 'metadata.name': 'system-x' }, [`${reserved}system-x is not a known system priority class`]],
      [
        'another value for a system class',
        { 'metadata.name': 'system-node-critical' },
        [`${reserved}value of system-node-critical PriorityClass must be 2000001000`],
      ],
      [
        'unknown policy',
        { preemptionPolicy: 'Sometimes' },
        ['preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"'],
      ],
    ],
    updates: [
      ['description', { description: 'x' }, []],
      ['value', { value: 5 }, ['value: Forbidden: may not be changed in an update.']],
      ['policy', { preemptionPolicy: 'Never' }, ['preemptionPolicy: Invalid value: "Never": field is immutable']],
    ],
  },
)

test('the classes of the system are deleted only with a collection', async () => {
  const { send } = await client
  const path = `/apis/${apiVersion}/priorityclasses`
  for (const name of ['system-node-critical', 'system-cluster-critical']) {
    const { code, body } = await send('DELETE', `${path}/${name}`)
    const why = 'this is a system priority class and cannot be deleted'
    assert.deepEqual([code, body['message']], [403, `priorityclasses.scheduling.k8s.io "${name}" is forbidden: ${why}`])
  }
  assert.equal((await send('DELETE', path)).code, 200)
  assert.equal((await send('GET', `${path}/system-node-critical`)).code, 404)
})
