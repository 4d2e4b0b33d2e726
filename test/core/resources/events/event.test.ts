import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHas, startServer, tables } from '../support.ts'

const client = startServer()
const regarding = { kind: 'Pod', namespace: 'default', name: 'web' }

test('events of both groups are the same objects', async () => {
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

test('an event written in core/v1 is readable in events.k8s.io/v1', async () => {
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

test('the selectable fields of events.k8s.io work in lists, watches and deletions', async () => {
  const { send } = await client
  const events = '/apis/events.k8s.io/v1/namespaces/selected/events'
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'selected' } })
  for (const name of ['web', 'db']) {
    const made = await send('POST', events, {
      ...strict,
      metadata: { name },
      regarding: { ...regarding, namespace: 'selected', name },
      reportingController: `x.io/${name}`,
    })
    assert.equal(made.code, 201, JSON.stringify(made.body))
  }
  const named = async (path: string) => {
    const { body } = await send('GET', path)
    return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
  }
  for (const selector of ['regarding.name=web', 'reportingController=x.io/web', 'regarding.kind=Pod,regarding.name!=db'])
    assert.deepEqual(await named(`${events}?fieldSelector=${encodeURIComponent(selector)}`), ['web'], selector)
  assert.deepEqual(await named('/api/v1/namespaces/selected/events?fieldSelector=reportingComponent%3Dx.io/web'), ['web'])
  const refused = await send('GET', `${events}?fieldSelector=involvedObject.name%3Dweb`)
  assert.equal(refused.body['message'], 'field label not supported: involvedObject.name')
  await send('DELETE', `${events}?fieldSelector=regarding.name%3Dweb`)
  assert.deepEqual(await named(events), ['db'])
})

const strict = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'strict' },
  eventTime: '2026-01-02T03:04:05.000006Z',
  reportingController: 'x.io/agent',
  reportingInstance: 'agent-1',
  action: 'Pulling',
  reason: 'Pulled',
  type: 'Normal',
  regarding,
}

tables(
  client,
  { path: '/apis/events.k8s.io/v1/namespaces/default/events', manifest: strict },
  {
    refused: [
      ['no time', { eventTime: undefined }, ['eventTime: Required value']],
      ['unknown type', { type: 'Other' }, ['type: Invalid value: "": has invalid value: Other']],
      [
        'deprecated fields',
        { deprecatedCount: 2, deprecatedFirstTimestamp: '2026-01-02T03:04:05Z', deprecatedSource: { component: 'x' } },
        [
          'firstTimestamp: Invalid value: "": needs to be unset',
          'count: Invalid value: "": needs to be unset',
          'source: Invalid value: "": needs to be unset',
        ],
      ],
      [
        'a series with count 1',
        { series: { count: 1 } },
        ['series.count: Invalid value: "": should be at least 2', 'series.lastObservedTime: Required value'],
      ],
    ],
    updates: [
      ['a longer series', { series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000006Z' } }, []],
      [
        'reason and note',
        { reason: 'Other', note: 'x' },
        [
          'reason: Invalid value: "Other": field is immutable',
          'message: Invalid value: "x": field is immutable',
          'reason: Invalid value: "Other": field is immutable',
        ],
      ],
    ],
  },
)

test('events in core/v1 have fewer validation rules', async () => {
  const { send } = await client
  const core = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'lax' },
    involvedObject: regarding,
    type: 'Other',
    count: 3,
  }
  const made = await send('POST', '/api/v1/namespaces/default/events', core)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const changed = await send('PUT', '/api/v1/namespaces/default/events/lax', { ...made.body, reason: 'Later', count: 4 })
  assert.equal(changed.code, 200, JSON.stringify(changed.body))
})
