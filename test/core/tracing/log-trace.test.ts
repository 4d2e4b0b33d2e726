/** Which steps of an operation the log shows, and how. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordedSpan } from '../../../core/tracing/span.ts'

const start = new Date(2026, 10, 24, 20, 13, 10, 123).getTime()

function setup(isVerbose = false) {
  let passed = 0
  const lines: string[] = []
  const clock = { now: () => start + passed, monotonic: () => passed }
  const log = { clock, write: (text: string) => void lines.push(text), isVerbose: () => isVerbose }
  const request = new RecordedSpan(undefined, log)
  const wait = (milliseconds: number) => {
    passed += milliseconds
  }
  /** The lines, with the number of the trace as N. */
  const shown = () => lines.map((text) => text.replaceAll(/Trace\[\d+\]/g, 'Trace[N]'))
  return { request, wait, shown }
}

test('a slow operation: its slow steps, and the slow ones of its parts', () => {
  const { request, wait, shown } = setup()
  const create = request.start('Create', { 'audit-id': 'a', len: 3 })
  create.event('at once')
  wait(400)
  create.event('slow step', { why: 'work' })
  const fast = create.start('fast part')
  wait(10)
  fast.end(500)
  const slow = create.start('slow part', { key: '/a' })
  wait(700)
  slow.event('slow inner step')
  slow.end(500)
  create.end(500)
  create.end(500)
  assert.deepEqual(shown(), [
    [
      'Trace[N]: "Create" audit-id:a,len:3 (24-Nov-2026 20:13:10.123) (total time: 1110ms):',
      'Trace[N]: ---"slow step" why:work 400ms (20:13:10.523)',
      'Trace[N]: ["slow part" key:/a 700ms (20:13:10.533)',
      'Trace[N]:  ---"slow inner step" 700ms (20:13:11.233)]',
      'Trace[N]: [1110.000ms] [1110.000ms] END',
    ].join('\n'),
  ])
})

test('all steps at a higher verbosity', () => {
  const { request, wait, shown } = setup(true)
  const get = request.start('Get')
  get.event('at once')
  get.start('fast part').end(500)
  wait(600)
  get.end(500)
  assert.deepEqual(shown()[0]?.split('\n').slice(1, -1), [
    'Trace[N]: ---"at once" 0ms (20:13:10.123)',
    'Trace[N]: ["fast part" 0ms (20:13:10.123)]',
  ])
})

test('fast operations are not logged; a slow part of one that may take longer is', () => {
  const { request, wait, shown } = setup()
  const encoding = request.start('SerializeObject')
  wait(600)
  encoding.end(5000)
  const authorization = request.start('authorization')
  wait(600)
  authorization.end()
  assert.deepEqual(shown(), [])
  const whole = request.start('whole')
  const part = whole.start('part')
  wait(600)
  part.end(500)
  whole.end(5000)
  assert.match(shown()[0] ?? '', /^Trace\[N\]: "part" /)
})

test('no line can be forged, and the number of steps is bounded', () => {
  const { request, wait, shown } = setup(true)
  const list = request.start('List', { url: '/a\nI1124 forged\x1b[0m\u2028' })
  for (let count = 0; count < 1000; count++) {
    list.event(`step ${count}`)
    list.start(`part ${count}`).end(500)
  }
  wait(600)
  list.end(500)
  const [text = ''] = shown()
  assert.ok(text.startsWith('Trace[N]: "List" url:/a\uFFFDI1124 forged\uFFFD[0m\uFFFD ('))
  assert.equal(text.split('\n').length, 256 + 2)
})
