/** Limits that several threads have together: their sides, here all in one thread, and priority and fairness over them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FlowControl } from '../../../../core/fairness/flow-control.ts'
import type { Ticket } from '../../../../core/fairness/ticket.ts'
import { nodeClock } from '../../../../runtimes/node/clock.ts'
import { type LimitMemory, limitMemory, ThreadLimits } from '../../../../runtimes/node/workers/limits.ts'
import { createRates } from '../../../../runtimes/node/workers/rates.ts'
import { createControl, exchangeOf, level, queue, reject, schemaFor, userOf } from '../../../core/fairness/fixtures.ts'
import { randomNumbers } from '../../../support/random.ts'
import { eventually } from '../../../support/wait.ts'

const sidesOf = (memory: LimitMemory) => {
  const rates = createRates(nodeClock)
  return Array.from({ length: memory.sides }, (_, side) => new ThreadLimits(memory, side, rates))
}

describe('a limit of several threads', () => {
  test('is that of all together, and one thread may have all of it', () => {
    const [one, other] = sidesOf(limitMemory(2)).map((limits) => limits.open('a'))
    assert(one && other)
    one.limit = 4
    assert.equal(other.limit, 4)
    for (let taken = 0; taken < 4; taken++) assert.equal(one.take(1), true)
    assert.deepEqual([one.take(1), other.take(1), other.taken], [false, false, 4])
    one.give(3)
    assert.deepEqual([other.take(2), other.take(2), other.take(1)], [true, false, true])
    assert.equal(one.taken, 4)
  })

  test('is another one for each name', () => {
    const [limits] = sidesOf(limitMemory(1)) as [ThreadLimits]
    const names = Array.from({ length: 300 }, (_, index) => `level/${index}`)
    for (const [index, name] of names.entries()) limits.open(name).limit = index
    for (const [index, name] of names.entries()) assert.equal(limits.open(name).limit, index)
  })

  test('leaves a thread that waits what it lacks of its part', () => {
    const [one, other] = sidesOf(limitMemory(2)).map((limits) => limits.open('a'))
    assert(one && other)
    one.limit = 10
    assert.equal(one.take(8), true)
    other.want(1)
    assert.equal(one.take(2), false)
    assert.equal(one.take(1), true)
    assert.equal(other.take(1), true)
    other.want(0)
    one.give(9)
    other.want(100)
    assert.equal(one.take(5), true, 'as long as it has less than its part it leaves nothing')
    assert.deepEqual([one.take(1), other.take(4)], [false, true])
    other.want(0)
  })

  test('a request for many units is not passed by others that need few', () => {
    const [one, other] = sidesOf(limitMemory(2)).map((limits) => limits.open('a'))
    assert(one && other)
    one.limit = 4
    assert.equal(one.take(2), true)
    other.want(4)
    assert.equal(other.take(4), false)
    assert.equal(one.take(1), false, 'the other one is next')
    one.give(2)
    assert.equal(other.take(4), true)
    other.want(0)
    other.give(4)
    assert.equal(one.take(1), true)
  })

  test('what a thread held that has ended is free, and others that wait learn it', async () => {
    const [main, one, other] = sidesOf(limitMemory(3))
    assert(main && one && other)
    const [first, second] = [one.open('a'), other.open('a')]
    first.limit = 2
    assert.equal(first.take(2), true)
    first.want(5)
    let told = 0
    second.onFree(() => {
      if (!second.take(2)) return
      told++
      second.want(0)
    })
    second.want(2)
    assert.equal(told, 0)
    main.forget(1)
    await eventually('the other thread has it', async () => told === 1)
    assert.equal(second.taken, 2)
  })

  test('demands of all threads are added', () => {
    const [one, other] = sidesOf(limitMemory(2)).map((limits) => limits.open('a'))
    assert(one && other)
    one.exchange({ highest: 3, average: 1.5, deviation: 3 })
    assert.deepEqual(other.exchange({ highest: 4, average: 0.25, deviation: 4 }), { highest: 7, average: 1.75, deviation: 5 })
  })

  test('the sum holds for random takers, and nothing is left over', () => {
    const { next } = randomNumbers(43)
    const all = sidesOf(limitMemory(4)).map((limits) => ({ limit: limits.open('a'), holds: [] as number[] }))
    for (const { limit } of all) limit.limit = 16
    for (let step = 0; step < 20_000; step++) {
      const { limit, holds } = all[Math.floor(next() * all.length)] as (typeof all)[number]
      const held = next() < 0.5 ? holds.pop() : undefined
      const units = 1 + Math.floor(next() * 6)
      if (held !== undefined) limit.give(held)
      else if (limit.take(units)) {
        holds.push(units)
        limit.want(0)
      } else limit.want(next() < 0.7 ? units : 0)
      const sum = all.flatMap((each) => each.holds).reduce((first, second) => first + second, 0)
      assert(sum <= 16, `${sum} at step ${step}`)
      assert.equal(limit.taken, sum)
    }
    for (const { limit, holds } of all) {
      limit.want(0)
      for (const held of holds) limit.give(held)
    }
    assert.equal(all[0]?.limit.taken, 0)
  })
})

const path = '/api/v1/namespaces/default/configmaps/one'

/** Servers with one level of so many seats for bob. */
function servers(count: number, seats: number, limitResponse: object): readonly FlowControl[] {
  const memory = limitMemory(count)
  return sidesOf(memory).map((limits) => {
    const { control } = createControl({ seats, limits })
    const shares = { nominalConcurrencyShares: 1_000_000, lendablePercent: 0, borrowingLimitPercent: 0 }
    control.configure([level('small', { ...shares, limitResponse })], [schemaFor('bob', 'bob', 'small', 10)])
    return control
  })
}

const ask = (control: FlowControl) => control.ticket(exchangeOf(userOf('bob'), 'GET', path))

describe('priority and fairness of several threads', () => {
  test('a level without queues has its seats once, and one thread may use all', () => {
    const [one, other] = servers(2, 4, reject) as [FlowControl, FlowControl]
    const seats = one.levels.get('small')?.current ?? 0
    const tickets: Ticket[] = []
    for (let taken = 0; taken < seats; taken++) {
      const ticket = ask(one)
      assert.equal(ticket.take(), undefined)
      tickets.push(ticket)
    }
    for (const control of [one, other]) assert.throws(() => ask(control).take(), /Too many requests/)
    tickets[0]?.end()
    assert.equal(ask(other).take(), undefined)
    assert.throws(() => ask(one).take(), /Too many requests/)
  })

  test('requests that wait on both threads get the seats alike, as they become free', async () => {
    const seats = 4
    const controls = servers(2, seats, queue(1, 1, 100)) as [FlowControl, FlowControl]
    const running = controls.map(() => [] as Ticket[])
    const send = (index: number) => {
      const ticket = ask(controls[index] as FlowControl)
      void Promise.resolve(ticket.take()).then(() => running[index]?.push(ticket))
    }
    const counts = () => running.map(({ length }) => length)
    for (let sent = 0; sent < 40; sent++) send(0)
    await eventually('the first one has all seats', async () => counts()[0] === seats)
    for (let sent = 0; sent < 40; sent++) send(1)
    assert.deepEqual(counts(), [seats, 0])
    for (let ended = 0; ended < seats; ended++) {
      running[0]?.shift()?.end()
      await eventually('the seat is taken again', async () => counts().reduce((sum, count) => sum + count, 0) === seats)
    }
    assert.deepEqual(counts(), [2, 2])
    for (let ended = 0; ended < 60; ended++) {
      running[ended % 2]?.shift()?.end()
      await eventually('the seat is taken again', async () => counts().reduce((sum, count) => sum + count, 0) === seats)
      assert.deepEqual(counts(), [2, 2])
    }
  })

  test('what waits without queues has its length bound, whoever has the seats', async () => {
    const [one, other] = servers(2, 1, queue(1, 1, 2)) as [FlowControl, FlowControl]
    assert.equal(ask(one).take(), undefined)
    const waiting = [ask(other), ask(other)]
    for (const ticket of waiting) assert(ticket.take() instanceof Promise)
    assert.throws(() => ask(other).take(), /Too many requests/)
    assert.equal(waiting[0]?.state, 'waiting')
  })

  test('levels borrow by the demand of all threads', async () => {
    const memory = limitMemory(2)
    const all = sidesOf(memory).map((limits) => createControl({ seats: 100, limits }))
    const limited = (percent: number) => ({ nominalConcurrencyShares: 45, lendablePercent: percent, limitResponse: queue(4, 2, 200) })
    for (const { control } of all)
      control.configure(
        [level('busy', limited(0)), level('idle', limited(90))],
        [schemaFor('bob', 'bob', 'busy', 10), schemaFor('eve', 'eve', 'idle', 11)],
      )
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]]
    const nominal = first.control.levels.get('busy')?.nominal ?? 0
    const entered: unknown[] = []
    for (let sent = 0; sent < nominal; sent++) entered.push(ask(first.control).take(), ask(second.control).take())
    // Those that wait for too long are refused.
    const ended = Promise.allSettled(entered)
    const stops = all.map(({ control }) => control.start())
    for (const { clock } of all) await clock.run(20_001)
    for (const { control } of all) {
      const limits = [...control.levels.values()].map(({ current }) => current)
      assert(limits.reduce((sum, limit) => sum + limit, 0) <= 100 + limits.length)
      assert((control.levels.get('busy')?.current ?? 0) > nominal, String(limits))
    }
    for (const stop of stops) stop()
    for (const { clock } of all) await clock.run(20_000)
    await ended
  })
})
