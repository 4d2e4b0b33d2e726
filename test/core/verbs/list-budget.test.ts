/** Long lists that announce their size keep a bounded part of it between counting and sending. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ByteSource } from '../../../core/answers/byte-source.ts'
import { ListBudget, listSource } from '../../../core/answers/rendering/list-body.ts'
import { Pauses } from '../../../core/common/slices.ts'
import type { Codec } from '../../../core/objects/storage/codec.ts'
import { StoredObject } from '../../../core/objects/storage/stored-object.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

/** Bytes of an item. */
const itemSize = 10_000
const entries = Array.from({ length: 100 }, (_, index) => new StoredObject(`/r/${index}`, index, new Uint8Array(), {} as Codec))
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const encoder = new TextEncoder()

/** A list of 1 MB; `made` counts how often each item is encoded. */
async function begin(budget: ListBudget, signal = new AbortController().signal) {
  const made = entries.map(() => 0)
  const parts = {
    start: (size: number) => encoder.encode(`${size}:`),
    sizeOf: () => undefined,
    item({ revision }: StoredObject) {
      made[revision]!++
      return [encoder.encode(String(revision)), encoder.encode('x'.repeat(itemSize - String(revision).length))]
    },
    between: new Uint8Array(0),
    end: encoder.encode('.'),
  }
  const source = await listSource(
    parts,
    entries,
    new Pauses(webClock).fairSlices(() => signal),
    budget,
  )
  return { source, twice: () => made.filter((count) => count === 2).length, made }
}

async function all(source: ByteSource): Promise<string> {
  let [found, wake] = ['', () => {}]
  source.open(() => wake())
  for (;;) {
    const ready = new Promise<void>((resolve) => {
      wake = resolve
    })
    const bytes = source.take()
    if (bytes) found += text(bytes)
    else if (source.ended) return found
    else await ready
  }
}

const expected = `${entries.length * itemSize}:${entries.map(({ revision }) => String(revision).padEnd(itemSize, 'x')).join('')}.`

test('what one list keeps is encoded once, the rest twice; others keep less meanwhile', async () => {
  const budget = new ListBudget(700_000, 200_000)
  const [first, second] = [await begin(budget), await begin(budget)]
  for (const { source } of [first, second]) assert.equal(await all(source), expected)
  assert.deepEqual([first.twice(), second.twice()], [30, 80])
})

test('the next list may keep most when the one before has been sent, is cancelled, or was given up before it was sent', async () => {
  const budget = new ListBudget(700_000, 200_000)
  const request = new AbortController()
  const ends: readonly ((source: ByteSource) => unknown)[] = [all, (source) => source.cancel(), () => request.abort()]
  for (const end of ends) {
    await end((await begin(budget, request.signal)).source)
    const next = await begin(budget)
    assert.equal(await all(next.source), expected)
    assert.equal(next.twice(), 30)
  }
})

test('nothing is kept of a list whose request ends while it is counted', async () => {
  const budget = new ListBudget(700_000, 200_000)
  const request = new AbortController()
  request.abort()
  const ahead = { ...webClock, monotonic: () => performance.now() * 1_000_000 }
  const slices = new Pauses(ahead).fairSlices(() => request.signal)
  const parts = {
    start: () => encoder.encode(''),
    sizeOf: () => undefined,
    item: () => [encoder.encode('x')],
    between: encoder.encode(''),
    end: encoder.encode(''),
  }
  await assert.rejects(listSource(parts, entries, slices, budget), { name: 'AbortError' })
  assert.equal(budget.enter(slices), 700_000)
})
