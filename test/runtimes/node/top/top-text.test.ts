import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveReading } from '../../../../core/meta/debug/live.ts'
import { liveText } from '../../../../runtimes/node/top/text.ts'

const reading = (changes: Partial<LiveReading> = {}): LiveReading => ({
  title: 'server',
  time: 1_000,
  uptimeSeconds: 3_725,
  loopDelay: 1.234,
  cpuSeconds: 1,
  residentBytes: 64 * 1_048_576,
  requests: [['GET', 10]],
  requestSeconds: { sum: 1, count: 10 },
  storeSeconds: { sum: 0, count: 0 },
  inFlight: [],
  watches: [],
  objects: [],
  caches: [],
  queues: [],
  ...changes,
})

test('rates and averages are of the time between two readings', () => {
  const now = reading({ time: 3_000, requests: [['GET', 30]], requestSeconds: { sum: 1.1, count: 30 }, cpuSeconds: 1.5 })
  const lines = liveText(now, reading(), { columns: 80 })
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '))
  assert.deepEqual(lines.slice(0, 8), [
    'server up 1 h 2 min 5 s',
    '',
    'Requests 10 /s',
    'Request latency 5.00 ms',
    'Store latency 0 ms',
    'Event-loop delay, longest 1.23 ms',
    'Processor 25 %',
    'Memory 64 MiB',
  ])
})

test('names that clients chose can not steer the terminal', () => {
  const text = liveText(reading({ inFlight: [['GET /\x1b]0;title\x07\u009b2J', 1]] }), reading(), { columns: 80 })
  assert.match(text, /GET \/\?\]0;title\?\?2J/)
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u)
})

test('a small screen shows the first rows of every list', () => {
  const many = Array.from({ length: 40 }, (_, index) => [`r${index}`, 40 - index] as const)
  for (const rows of [5, 8, 14, 20, 50]) {
    const lines = liveText(reading({ watches: many, caches: many, inFlight: [['a', 1]] }), reading(), { columns: 30, rows }).split('\n')
    assert.ok(lines.length <= rows, `${lines.length} lines of ${rows}`)
    for (const line of lines) assert.ok(line.length <= 30)
    if (rows >= 20) assert.equal(lines.filter((line) => line.startsWith('  r0')).length, 2)
  }
})
