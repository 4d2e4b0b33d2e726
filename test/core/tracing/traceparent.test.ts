import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceparent, parseTraceparent } from '../../../core/tracing/traceparent.ts'

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('the header traceparent, as W3C Trace Context has it', () => {
  const header = `00-${traceId}-${spanId}-01`
  assert.deepEqual(parseTraceparent(header), { traceId, spanId, flags: 1 })
  assert.equal(formatTraceparent({ traceId, spanId, flags: 1 }), header)
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-00`)?.flags, 0)
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-ff`)?.flags, 1, 'other flags are unknown')
  assert.ok(parseTraceparent(`01-${traceId}-${spanId}-01-more`), 'a later version')
  const malformed = [
    null,
    '',
    header.slice(1),
    `${header}-more`,
    `${header} `,
    header.toUpperCase(),
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}x-${spanId}-01`,
    `01-${traceId}-${spanId}-01more`,
  ]
  for (const each of malformed) assert.equal(parseTraceparent(each), undefined, String(each))
})
