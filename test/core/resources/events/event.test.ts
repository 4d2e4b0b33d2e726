import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHas, startServer } from '../support.ts'

const client = startServer()
const regarding = { kind: 'Pod', namespace: 'default', name: 'web' }

test('an event is one object in both groups', async () => {
  const { send } = await client
  const made = await send('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'pulled.1' },
    eventTime: '2026-01-02T03:04:05.000006Z',
    reportingController: 'x.io/agent',
    reportingInstance: 'agent-1',
    action: 'Pulling',
    reason: 'Pulled',
    note: 'Image is there',
    type: 'Normal',
    regarding,
  })
  assert.equal(made.code, 201, JSON.stringify(made.body))
  assertHas(made.body, {
    apiVersion: 'events.k8s.io/v1',
    regarding,
    note: 'Image is there',
    reportingController: 'x.io/agent',
    message: undefined,
  })
  const core = await send('GET', '/api/v1/namespaces/default/events/pulled.1')
  assertHas(core.body, {
    apiVersion: 'v1',
    involvedObject: regarding,
    message: 'Image is there',
    reportingComponent: 'x.io/agent',
    note: undefined,
  })
})

test('an event of the core group is read in the other', async () => {
  const { send } = await client
  const time = '2026-01-02T03:04:05Z'
  const made = await send('POST', '/api/v1/namespaces/default/events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'old.1' },
    involvedObject: regarding,
    reason: 'Old',
    message: 'text',
    type: 'Warning',
    source: { component: 'agent' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 3,
  })
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const other = await send('GET', '/apis/events.k8s.io/v1/namespaces/default/events/old.1')
  assertHas(other.body, {
    regarding,
    note: 'text',
    deprecatedSource: { component: 'agent' },
    deprecatedFirstTimestamp: time,
    deprecatedLastTimestamp: time,
    deprecatedCount: 3,
  })
  const list = await send('GET', '/apis/events.k8s.io/v1/namespaces/default/events')
  assert.equal((list.body['items'] as unknown[]).length, 2)
})
