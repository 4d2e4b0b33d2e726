/** The greatest valid number of queues: they cost nothing until requests use them, and their dump is made while it is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textStream } from '../../../core/answers/text-stream.ts'
import { dumpQueues } from '../../../core/fairness/dump.ts'
import type { FlowControl } from '../../../core/fairness/flow-control.ts'
import { assertCheap } from '../../support/cost.ts'
import { createControl, exchangeOf, level, queue, schemaFor, userOf } from './fixtures.ts'

/** The greatest number that validation lets through. */
const most = 10_000_000
const mebibyte = 1024 * 1024

function wide(queues: number): { readonly control: FlowControl; readonly clock: ReturnType<typeof createControl>['clock'] } {
  const created = createControl({ seats: 2 })
  const shares = { nominalConcurrencyShares: 1_000_000, lendablePercent: 0, borrowingLimitPercent: 0 }
  const schema = schemaFor('all', '*', 'wide', 10, { distinguisherMethod: { type: 'ByUser' } })
  created.control.configure([level('wide', { ...shares, limitResponse: queue(queues, 2, 50) })], [schema])
  return created
}

const ask = (control: FlowControl, user: string) =>
  control.ticket(exchangeOf(userOf(user), 'GET', '/api/v1/namespaces/default/configmaps/a'))

test('ten million queues take no memory, and requests find theirs', async () => {
  const before = process.memoryUsage().rss
  const { control, clock } = wide(most)
  const tickets = Array.from({ length: 4_000 }, (_, index) => ask(control, `user-${index}`))
  await assertCheap('4,000 requests', 1_000, async () => {
    const taken = tickets.splice(0).map((ticket) => Promise.resolve(ticket.take()).then(() => void clock.after(1, ticket.end)))
    await clock.run(10_000)
    await Promise.all(taken)
  })
  assert.equal(control.levels.get('wide')?.queues.dispatched, 4_000)
  const grown = (process.memoryUsage().rss - before) / mebibyte
  assert.ok(grown < 256, `${Math.round(grown)} MiB`)
})

test('the dump of ten million queues is made as it is read, in bounded memory', async () => {
  const { control } = wide(most)
  const before = process.memoryUsage().rss
  let length = 0
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of textStream(dumpQueues(control))) {
    if (length === 0) text = decoder.decode(chunk)
    length += chunk.length
    if (length > 16 * mebibyte) break
  }
  const [head = '', first = '', second = ''] = text
    .split('\n')
    .filter((line) => line.startsWith('PriorityLevelName') || line.startsWith('wide'))
  assert.match(head, /^PriorityLevelName, Index, {3,}PendingRequests, /)
  assert.match(first, /^wide, +0, +0, /)
  assert.match(second, /^wide, +1, +0, /)
  assert.equal(second[head.indexOf('PendingRequests')], '0')
  assert.ok((process.memoryUsage().rss - before) / mebibyte < 128)
})

test('every queue is in the dump once', () => {
  const { control } = wide(100_000)
  assert.equal(ask(control, 'bob').take(), undefined)
  const rows = [...dumpQueues(control)].filter((line) => line.startsWith('wide,')).map((line) => line.split(/, */))
  assert.deepEqual(
    rows.map(([, index]) => index),
    rows.map((_, index) => String(index)),
  )
  assert.equal(rows.length, 100_000)
  assert.equal(rows.filter(([, , , executing]) => executing === '1').length, 1)
})
