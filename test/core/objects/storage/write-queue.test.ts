import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../../core/answers/status.ts'
import { WriteQueue } from '../../../../core/objects/storage/write-queue.ts'
import { ManualClock } from '../../../support/clock.ts'

/** Tasks that end on demand, and a record of those that began. */
function workshop() {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => (waited: boolean) => {
    began.push(waited ? `${name} after others` : name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    began,
    work,
    /** Ends a task that has begun, and lets the next one begin. */
    async end(name: string) {
      await turn()
      const end = ends.get(name)
      assert(end, `${name} has begun`)
      end()
      await turn()
    },
  }
}

test('writers of one key run one after the other, in order; writers of other keys run at once', async () => {
  const { began, work, end } = workshop()
  const turns = new WriteQueue()
  const all = [
    turns.take('a', undefined, work('1')),
    turns.take('a', undefined, work('2')),
    turns.take('a', undefined, work('3')),
    turns.take('b', undefined, work('other')),
  ]
  assert.deepEqual(began, ['1', 'other'])
  await end('1')
  assert.deepEqual(began.slice(2), ['2 after others'])
  await end('2')
  await end('3')
  await end('other')
  assert.deepEqual(await Promise.all(all), ['1', '2', '3', 'other'])
  const later = turns.take('a', undefined, work('later'))
  assert.equal(began.at(-1), 'later', 'the queue is empty')
  await end('later')
  await later
})

test('the next writer runs after a failure', async () => {
  const { began, work, end } = workshop()
  const turns = new WriteQueue()
  const failing = turns.take('a', undefined, () => Promise.reject(new Error('no')))
  const next = turns.take('a', undefined, work('next'))
  await assert.rejects(failing, /no/)
  await end('next')
  assert.deepEqual(began, ['next after others'])
  await next
})

test('a cancelled writer leaves the queue', async () => {
  const { began, work, end } = workshop()
  const turns = new WriteQueue()
  const [gone, last] = [new AbortController(), new AbortController()]
  const first = turns.take('a', undefined, work('first'))
  const left = turns.take('a', { signal: gone.signal }, work('left'))
  const third = turns.take('a', { signal: last.signal }, work('third'))
  gone.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  await assert.rejects(turns.take('a', { signal: gone.signal }, work('late')), /gone/)
  await end('first')
  assert.deepEqual(began, ['first', 'third after others'])
  last.abort(new Error('too late to matter'))
  await end('third')
  assert.deepEqual(await Promise.all([first, third]), ['first', 'third'])
})

test('the next writer starts when one takes longer than 5 s', async () => {
  const clock = new ManualClock()
  const { began, work, end } = workshop()
  const turns = new WriteQueue(clock)
  const stuck = turns.take('a', undefined, work('stuck'))
  const second = turns.take('a', undefined, work('second'))
  clock.advance(4_999)
  assert.deepEqual(began, ['stuck'])
  clock.advance(1)
  await end('second')
  assert.deepEqual(began, ['stuck', 'second after others'])
  assert.equal(await second, 'second')
  await end('stuck')
  await stuck
  assert.equal(clock.pending, 0)
})

test('at most 1,000 writers wait for a key', async () => {
  const turns = new WriteQueue()
  let open = () => {}
  const first = turns.take('a', undefined, () => new Promise<void>((resolve) => (open = resolve)))
  const waiting = Array.from({ length: 1_000 }, () => turns.take('a', undefined, async () => {}))
  await assert.rejects(
    turns.take('a', undefined, async () => {}),
    (error) => error instanceof ApiError && error.status.code === 429 && error.status.details?.retryAfterSeconds === 1,
  )
  open()
  await Promise.all([first, ...waiting])
})
