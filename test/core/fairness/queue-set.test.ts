/** Seats and queues of levels, with a simulated clock. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlainError } from '../../../core/answers/plain-error.ts'
import { dumpLevels, dumpRequests } from '../../../core/fairness/dump.ts'
import type { FlowControl } from '../../../core/fairness/flow-control.ts'
import type { Ticket } from '../../../core/fairness/ticket.ts'
import { createControl, exchangeOf, level, queue, reject, schemaFor, userOf } from './fixtures.ts'

const config = '/api/v1/namespaces/default/configmaps/one'

/** A level `small` with few seats of its own, for user bob. */
function small(limitResponse: object, seats = 2, more: object = {}) {
  const created = createControl({ seats })
  const shares = { nominalConcurrencyShares: 1_000_000, lendablePercent: 0, borrowingLimitPercent: 0 }
  created.control.configure([level('small', { ...shares, limitResponse, ...more })], [schemaFor('bob', 'bob', 'small', 10)])
  return created
}

const ask = (control: FlowControl, user = 'bob', method = 'GET', target = config, deadline?: number) =>
  control.ticket(exchangeOf(userOf(user), method, target, deadline))

/** The state of the level in the dump, by column. */
function row(control: FlowControl, name = 'small'): { readonly [column: string]: string } {
  const [head = [], ...rows] = dumpLevels(control)
    .split('\n')
    .map((line) => line.split(/, +/))
  const found = rows.find(([first]) => first === name) ?? []
  return Object.fromEntries(head.map((column, index) => [column, found[index] ?? '']))
}

const refused = (error: unknown) => error instanceof PlainError && error.code === 429 && error.retryAfter === 1

describe('a level without queues', () => {
  test('refuses what finds no seat', () => {
    const { control } = small(reject)
    const tickets = [ask(control), ask(control)]
    for (const ticket of tickets) assert.equal(ticket.take(), undefined)
    assert.throws(() => ask(control).take(), refused)
    tickets[0]?.end()
    assert.equal(ask(control).take(), undefined)
    assert.equal(row(control)['RejectedRequests'], '1')
    assert.equal(row(control)['DispatchedRequests'], '3')
  })

  test('keeps the seats of others', () => {
    const { control } = small(reject, 2)
    const tickets = [ask(control), ask(control)]
    for (const ticket of tickets) ticket.take()
    assert.equal(ask(control, 'eve').take(), undefined)
  })
})

describe('a level with queues', () => {
  test('lets requests wait, and starts them in order as seats get free', async () => {
    const { control, clock } = small(queue(1, 1, 10), 1)
    const started: number[] = []
    const tickets = Array.from({ length: 4 }, () => ask(control))
    for (const [index, ticket] of tickets.entries()) void Promise.resolve(ticket.take()).then(() => started.push(index))
    await clock.run(1)
    assert.deepEqual(started, [0])
    assert.equal(row(control)['WaitingRequests'], '3')
    for (const ticket of tickets) {
      ticket.end()
      await clock.run(1)
    }
    assert.deepEqual(started, [0, 1, 2, 3])
    assert.equal(row(control)['IsIdle'], 'true')
  })

  test('remembers flows of namespaces, but of none that is too long to exist: clients choose them', () => {
    const { control } = createControl({ seats: 10 })
    const schema = schemaFor('all', '*', 'small', 10, { distinguisherMethod: { type: 'ByNamespace' } })
    control.configure([level('small', { nominalConcurrencyShares: 100, limitResponse: queue(64, 8, 10) })], [schema])
    const flowOf = (namespace: string) => ask(control, 'bob', 'GET', `/api/v1/namespaces/${namespace}/pods`).flow
    for (const [length, isRemembered] of [
      [63, true],
      [64, false],
    ] as const) {
      const [first, second] = [flowOf('n'.repeat(length)), flowOf('n'.repeat(length))]
      assert.deepEqual(first.hand, second.hand)
      assert.equal(first === second, isRemembered)
    }
  })

  test('asks clients to wait as long when the wall clock is set meanwhile', async () => {
    const waits = []
    for (const step of [0, 3_600_000, -3_600_000]) {
      const { control, clock } = small(reject, 1)
      ask(control).take()
      const asked: (number | undefined)[] = []
      for (let second = 0; second < 20; second++) {
        if (second === 10) clock.step(step)
        for (let count = 0; count < 10; count++) {
          try {
            ask(control).take()
          } catch (error) {
            asked[second] = error instanceof PlainError ? error.retryAfter : undefined
          }
        }
        await clock.run(1_000)
      }
      waits.push(asked)
    }
    assert.deepEqual(waits[1], waits[0])
    assert.deepEqual(waits[2], waits[0])
    assert.ok(Number(waits[0]?.at(-1)) > 1)
  })

  test('refuses a request when its queue is full', () => {
    const { control } = small(queue(1, 1, 2), 1)
    const taken = [ask(control), ask(control), ask(control)].map((ticket) => ticket.take())
    assert.deepEqual(
      taken.map((each) => each instanceof Promise),
      [false, true, true],
    )
    assert.throws(() => ask(control).take(), refused)
  })

  test('gives up a request after a quarter of its time', async () => {
    const { control, clock } = small(queue(1, 1, 10), 1)
    ask(control).take()
    const late = Promise.resolve(ask(control, 'bob', 'GET', config, 20_000).take())
    const outcome = late.then(
      () => 'ran',
      (error) => (refused(error) ? `refused at ${clock.monotonic()}` : String(error)),
    )
    await clock.run(4_999)
    assert.equal(row(control)['WaitingRequests'], '1')
    await clock.run(1)
    assert.equal(await outcome, 'refused at 5000')
    const { WaitingRequests, RejectedRequests, CancelledRequests } = row(control)
    assert.deepEqual(
      { WaitingRequests, RejectedRequests, CancelledRequests },
      { WaitingRequests: '0', RejectedRequests: '1', CancelledRequests: '1' },
    )
  })

  test('forgets a request whose client left', async () => {
    const { control } = small(queue(1, 1, 10), 1)
    ask(control).take()
    const exchange = exchangeOf(userOf('bob'), 'GET', config)
    const waiting = control.ticket(exchange).take()
    const gone = new Error('gone')
    exchange.controller.abort(gone)
    await assert.rejects(Promise.resolve(waiting), gone)
    assert.equal(row(control)['WaitingRequests'], '0')
  })

  test('serves flows in turn, however long the queue of one is', async () => {
    const { control, clock } = createControl({ seats: 1 })
    const everybody = schemaFor('all', '*', 'small', 10, { distinguisherMethod: { type: 'ByUser' } })
    const limited = { nominalConcurrencyShares: 1_000_000, borrowingLimitPercent: 0, limitResponse: queue(64, 1, 100) }
    control.configure([level('small', limited)], [everybody])
    const served: string[] = []
    const run = async (user: string) => {
      const ticket = ask(control, user)
      await ticket.take()
      served.push(user)
      clock.after(10, ticket.end)
    }
    for (let sent = 0; sent < 20; sent++) void run('many')
    for (let sent = 0; sent < 3; sent++) void run('few')
    await clock.run(1_000)
    assert.equal(served.length, 23)
    assert.ok(served.lastIndexOf('few') <= 7, served.join())
  })

  test('takes requests back after their bodies were awaited, whatever the queues of the level are by then', async () => {
    const shares = { nominalConcurrencyShares: 1_000_000, lendablePercent: 0, borrowingLimitPercent: 0 }
    const rows = [reject, queue(64, 8, 10), queue(64, 1, 10), queue(2, 2, 10), queue(1, 1, 10)]
    for (const before of rows) {
      for (const after of rows) {
        const { control, clock } = createControl({ seats: 10 })
        const schemas = [schemaFor('all', '*', 'small', 10, { distinguisherMethod: { type: 'ByUser' } })]
        const configure = (limitResponse: object) => control.configure([level('small', { ...shares, limitResponse })], schemas)
        configure(before)
        const path = '/api/v1/namespaces/default/configmaps'
        const writing = Array.from({ length: 9 }, (_, number) => ask(control, `user-${number}`, 'POST', path))
        for (const ticket of writing) {
          ticket.take()
          ticket.leave()
        }
        configure(after)
        // Queues that are too many go when they are empty.
        for (let number = 0; number < 100; number++) {
          const ticket = ask(control, `other-${number}`)
          ticket.take()
          ticket.end()
        }
        await clock.run(1)
        for (const ticket of writing) assert.equal(ticket.take(), undefined)
        for (const ticket of writing) ticket.end()
        assert.equal(row(control)['IsIdle'], 'true')
      }
    }
  })

  test('lets a request wait that returns after its body was awaited', async () => {
    const { control, clock } = small(queue(1, 1, 10), 1)
    const writing = ask(control, 'bob', 'POST', '/api/v1/namespaces/default/configmaps')
    writing.take()
    writing.leave()
    const other = ask(control)
    assert.equal(other.take(), undefined)
    const again = writing.take()
    assert.ok(again instanceof Promise)
    other.end()
    await again
    assert.equal(writing.state, 'running')
    writing.end()
    await clock.run(1)
    assert.equal(row(control)['DispatchedRequests'], '2')
    assert.equal(row(control)['IsIdle'], 'true')
  })
})

describe('a write that wakes watchers', () => {
  const post = (control: FlowControl): Ticket => ask(control, 'bob', 'POST', '/api/v1/namespaces/default/configmaps')

  test('keeps its seats for a while after it has ended', async () => {
    const { control, clock, watches } = small(reject, 10)
    const forget = Array.from({ length: 40 }, () => watches.add(exchangeOf(userOf('w'), 'GET', '/api/v1/configmaps?watch=1')))
    const first = post(control)
    first.take()
    assert.match(
      dumpRequests(control, true),
      /small, .* 1, +4, +5ms, .* bob, +create, +\/api\/v1\/namespaces\/default\/configmaps, +default, /,
    )
    first.end()
    const second = post(control)
    second.take()
    second.end()
    assert.throws(() => post(control).take(), refused)
    await clock.run(5)
    assert.equal(post(control).take(), undefined)
    for (const each of forget) each()
    assert.equal(watches.of(exchangeOf(userOf('bob'), 'POST', '/api/v1/namespaces/default/configmaps').info), 0)
  })

  test('is not charged for watches that select a node', () => {
    const { watches } = createControl()
    const add = (selector: string) => watches.add(exchangeOf(userOf('w'), 'GET', `/api/v1/pods?watch=1${selector}`))
    add('&fieldSelector=spec.nodeName%3Dnode-1')
    add('&fieldSelector=spec.nodeName%3D')
    add('&fieldSelector=status.phase%3DRunning')
    add('')
    assert.equal(watches.of(exchangeOf(userOf('u'), 'POST', '/api/v1/namespaces/default/pods').info), 3)
  })

  test('is charged for watches of everything, of its namespace and of its object', () => {
    const { watches } = createControl()
    for (const path of ['/api/v1/secrets?watch=1', '/api/v1/namespaces/a/secrets?watch=1', '/api/v1/namespaces/b/secrets?watch=1']) {
      watches.add(exchangeOf(userOf('w'), 'GET', path))
    }
    watches.add(exchangeOf(userOf('w'), 'GET', '/api/v1/namespaces/a/secrets?watch=1&fieldSelector=metadata.name%3Done'))
    const of = (method: string, path: string) => watches.of(exchangeOf(userOf('u'), method, path).info)
    assert.equal(of('POST', '/api/v1/namespaces/a/secrets'), 2)
    assert.equal(of('PUT', '/api/v1/namespaces/a/secrets/one'), 3)
    assert.equal(of('PUT', '/api/v1/namespaces/a/secrets/two'), 2)
    assert.equal(of('PUT', '/api/v1/namespaces/c/secrets/one'), 1)
    assert.equal(of('PUT', '/apis/apps/v1/namespaces/a/secrets/one'), 0)
  })
})

describe('changes of the configuration', () => {
  test('a removed level serves the requests that it has, then it goes', async () => {
    const { control, clock } = small(queue(1, 1, 10), 1)
    const running = ask(control)
    running.take()
    const waiting = ask(control)
    const taken = waiting.take()
    control.configure([], [])
    assert.equal(row(control)['IsQuiescing'], 'true')
    assert.equal(ask(control).flow.level.name, 'catch-all')
    running.end()
    await taken
    waiting.end()
    await clock.run(1)
    assert.deepEqual(row(control)['PriorityLevelName'], '')
  })

  test('a level with fewer queues keeps the others until they are empty', async () => {
    const { control, clock } = createControl({ seats: 1 })
    const limited = (count: number) =>
      level('small', { nominalConcurrencyShares: 1_000_000, borrowingLimitPercent: 0, limitResponse: queue(count, 1, 10) })
    const schema = schemaFor('all', '*', 'small', 10, { distinguisherMethod: { type: 'ByUser' } })
    control.configure([limited(8)], [schema])
    const tickets = Array.from({ length: 16 }, (_, index) => ask(control, `user-${index}`))
    const taken = tickets.map((ticket) => Promise.resolve(ticket.take()).then(() => void clock.after(1, ticket.end)))
    control.configure([limited(1)], [schema])
    await clock.run(100)
    await Promise.all(taken)
    assert.equal(control.levels.get('small')?.queues.queues.count, 1)
    const last = ask(control, 'user-3')
    assert.equal(last.take(), undefined)
    assert.equal(row(control)['DispatchedRequests'], '17')
  })
})
