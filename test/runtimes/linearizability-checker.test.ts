/** Tests of the checker: it accepts linearizable histories and refuses others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from '../support/fast-check.ts'
import { linearizationProblem, type Operation, type Value, watchProblem } from '../support/linearizability.ts'

const operation = (kind: Operation['kind'], begin: number, end: number, before: Value, after?: Value): Operation => ({
  client: 0,
  kind,
  begin,
  end,
  before,
  after,
})
const write = (begin: number, end: number, before: Value, after: Value) => operation('written', begin, end, before, after)
const read = (begin: number, end: number, after: Value) => operation('read', begin, end, undefined, after)
const refused = (begin: number, end: number, before: Value) => operation('refused', begin, end, before)
const unknown = (begin: number, before: Value, after: Value) => operation('unknown', begin, Number.POSITIVE_INFINITY, before, after)

const none = undefined

describe('linearizable histories', () => {
  const cases: { readonly [title: string]: readonly Operation[] } = {
    'nothing at all': [],
    'sequential operations': [write(0, 1, none, 'a'), read(2, 3, 'a'), write(4, 5, 'a', 'b'), write(6, 7, 'b', none), read(8, 9, none)],
    'a concurrent read sees the old value or the new one': [write(0, 10, none, 'a'), read(1, 2, none), read(3, 4, 'a')],
    'a conflict caused by a concurrent write': [write(0, 10, none, 'a'), write(1, 9, 'a', 'b'), refused(2, 8, 'a')],
    'a write with unknown outcome that took effect later': [write(0, 1, none, 'a'), unknown(2, 'a', 'b'), read(3, 4, 'a'), read(5, 6, 'b')],
    'a write with unknown outcome that never took effect': [
      write(0, 1, none, 'a'),
      unknown(2, 'a', 'b'),
      write(3, 4, 'a', 'c'),
      read(5, 6, 'c'),
    ],
    'two writes with unknown outcome, one after the other': [unknown(0, none, 'a'), unknown(1, 'a', 'b'), read(2, 3, 'b')],
    'a deletion with unknown outcome that allows a creation': [write(0, 1, none, 'a'), unknown(2, 'a', none), write(3, 4, none, 'b')],
  }
  for (const [title, history] of Object.entries(cases)) test(title, () => assert.equal(linearizationProblem(history), undefined))
})

describe('histories that are not linearizable', () => {
  const cases: { readonly [title: string]: readonly Operation[] } = {
    'a stale read': [write(0, 1, none, 'a'), write(2, 3, 'a', 'b'), read(4, 5, 'a')],
    'a lost write': [write(0, 1, none, 'a'), read(2, 3, none)],
    'two writes that replaced the same value': [write(0, 1, none, 'a'), write(2, 5, 'a', 'b'), write(3, 6, 'a', 'c')],
    'a value that disappears and comes back': [write(0, 10, none, 'a'), read(1, 2, 'a'), read(3, 4, none)],
    'a value that was never written': [write(0, 1, none, 'a'), read(2, 3, 'z')],
    'a conflict without a concurrent write': [write(0, 1, none, 'a'), refused(2, 3, 'a')],
    'a write with unknown outcome that is read before it was sent': [write(0, 1, none, 'a'), read(2, 3, 'b'), unknown(4, 'a', 'b')],
    'a write with unknown outcome that took effect twice': [
      write(0, 1, none, 'a'),
      unknown(2, 'a', none),
      write(3, 4, none, 'b'),
      read(5, 6, none),
    ],
  }
  for (const [title, history] of Object.entries(cases))
    test(title, () => assert.match(linearizationProblem(history) ?? '', /no order explains/))
})

test('random sequential histories are accepted, and refused once a read is changed', () => {
  const step = fc.record({ action: fc.constantFrom('read', 'write', 'delete', 'stale', 'lost'), before: fc.nat(5), after: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      let state: Value
      const history = steps.map(({ action, before, after }, index): Operation => {
        const [begin, end] = [10 * index - 7 * before, 10 * index + 1 + 7 * after]
        const was = state
        if (action === 'read') return read(begin, end, was)
        if (action === 'stale') return refused(begin, end, `never-${index}`)
        if (action === 'lost') return unknown(begin, `never-${index}`, `lost-${index}`)
        state = action === 'write' ? `v${index}` : undefined
        return write(begin, end, was, state)
      })
      assert.equal(linearizationProblem(history), undefined)
      const last = 10 * steps.length + 100
      const wrong = state === undefined ? 'z' : undefined
      assert.notEqual(linearizationProblem([...history, read(last, last + 1, wrong)]), undefined)
    }),
    { numRuns: 300 },
  )
})

describe('watches', () => {
  const history = [write(0, 1, none, 'a'), write(2, 3, 'a', 'b'), unknown(4, 'b', 'c'), write(6, 7, 'c', none), write(8, 9, none, 'd')]
  const events = ['a', 'b', 'c', none, 'd'].map((after, index) => ({ revision: 10 + index, after }))
  test('a watch that reports every write', () => assert.equal(watchProblem(events, history), undefined))
  const wrong: { readonly [title: string]: typeof events } = {
    'the first is missing': events.slice(1),
    'one is missing': events.filter(({ after }) => after !== 'b'),
    'the last is missing': events.slice(0, -1),
    'a duplicate event': [
      ...events.slice(0, 2),
      { revision: 12, after: 'b' },
      ...events.slice(2).map((each) => ({ ...each, revision: each.revision + 1 })),
    ],
    'two events swapped': [events[1], events[0], ...events.slice(2)].flatMap((each) => each ?? []),
    'an event without a write': [...events, { revision: 15, after: 'z' }],
    'a repeated revision': events.map((each) => ({ ...each, revision: 10 })),
  }
  for (const [title, told] of Object.entries(wrong)) test(title, () => assert.notEqual(watchProblem(told, history), undefined))
})
