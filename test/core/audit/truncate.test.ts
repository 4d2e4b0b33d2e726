import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEvent, EventEncoder } from '../../../core/audit/event.ts'
import { truncating } from '../../../core/audit/truncate.ts'
import { leastEvent } from './fixtures.ts'

const encoder = new EventEncoder('audit.k8s.io/v1')
const event = (auditId: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...leastEvent,
  level: 'RequestResponse',
  auditId,
  stage: 'ResponseComplete',
  requestUri: '/',
  ...more,
})
const object = (size: number) => new TextEncoder().encode(JSON.stringify('x'.repeat(size - 2)))
const sizeOf = (each: AuditEvent) => encoder.line(each).length
const bare = sizeOf(event('a'))

function setUp(maxEventSize: number, maxBatchSize: number) {
  const batches: (readonly AuditEvent[])[] = []
  const lost: string[] = []
  const reportLoss = (plugin: string, why: string, events: readonly AuditEvent[]) =>
    void lost.push(...events.map(({ auditId }) => `${plugin} ${why}: ${auditId}`))
  const deliver = truncating({ maxEventSize, maxBatchSize }, { sizeOf, reportLoss, annotation: 'audit.k8s.io/truncated' }, (events) => {
    batches.push(events)
    return true
  })
  return { deliver, batches, lost }
}

test('an event that is too large loses its objects, and says so', () => {
  const { deliver, batches, lost } = setUp(bare + 200, 10_000)
  const large = event('a', { requestObject: object(100), responseObject: object(200), annotations: [['z/z', '1']] })
  const fits = event('b', { requestObject: object(100) })
  assert.equal(deliver([large, fits]), true)
  const [[first, second] = []] = batches
  assert.deepEqual(first, {
    ...large,
    requestObject: undefined,
    responseObject: undefined,
    annotations: [
      ['audit.k8s.io/truncated', 'true'],
      ['z/z', '1'],
    ],
  })
  assert.equal(second, fits)
  assert.deepEqual(lost, [])
})

test('an event that is still too large is lost', () => {
  const { deliver, batches, lost } = setUp(bare + 100, 10_000)
  const metadata = event('a', { level: 'Metadata', requestUri: 'x'.repeat(200) })
  assert.equal(deliver([metadata, event('b'), event('c', { requestUri: 'x'.repeat(200), responseObject: object(100) })]), true)
  assert.deepEqual(
    batches.flat().map(({ auditId }) => auditId),
    ['b'],
  )
  assert.deepEqual(
    lost,
    ['a', 'c'].map((id) => `truncate event is too large even after truncating: ${id}`),
  )
})

test('the limit is the size with the line feed', () => {
  for (const [limit, kept] of [
    [bare + 200, true],
    [bare + 199, false],
  ] as const) {
    const { deliver, batches } = setUp(limit, 10_000)
    const whole = event('a', { responseObject: object(200 - ',"responseObject":'.length) })
    deliver([whole])
    assert.equal(batches[0]?.[0] === whole, kept)
  }
})

test('batches are split by size', () => {
  const { deliver, batches } = setUp(bare * 2, bare * 2)
  deliver(['a', 'b', 'c', 'd', 'e'].map((id) => event(id)))
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [2, 2, 1],
  )
})
