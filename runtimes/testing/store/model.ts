import assert from 'node:assert/strict'
import fc from 'fast-check'
import { append } from '../../../core/common/lists.ts'
import type { KeyValueStore } from '../../../core/ports.ts'
import { bytes, describeEvent, Recorder, text } from './recorder.ts'

type Operation =
  | { readonly type: 'put'; readonly key: number; readonly value: string; readonly stale: boolean }
  | { readonly type: 'delete'; readonly key: number; readonly stale: boolean }
  | { readonly type: 'list'; readonly prefix: number; readonly limit: number; readonly back: number }
  | { readonly type: 'get'; readonly key: number; readonly back: number }
  | { readonly type: 'watch'; readonly prefix: number; readonly back: number }
  | { readonly type: 'compact'; readonly back: number }

/** Keys that test byte order: prefixes of each other, characters of one to four bytes, pairs that only UTF-16 orders differently. */
const names = ['a', 'a/', 'a/b', 'a/b/c', 'a0', 'b', 'b/\u00ff', 'b/\u00ff\u00ff', 'b/\uffee', 'b/\u{1f600}', 'b/\u{1f600}x', 'c']
const prefixes = ['', 'a', 'a/', 'a/b', 'b/', 'b/\u00ff', 'b/\u{1f600}', 'c', 'd']

const key = fc.nat({ max: names.length - 1 })
const prefix = fc.nat({ max: prefixes.length - 1 })
const back = fc.nat({ max: 12 })
const stale = fc.integer({ min: 0, max: 3 }).map((n) => n === 0)
const value = fc.string({ maxLength: 8 })
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('put'), key, value, stale }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete'), key, stale }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('list'), prefix, limit: fc.nat({ max: 4 }), back }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('get'), key, back }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('watch'), prefix, back }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact'), back }) },
)

interface Item {
  readonly value: string
  readonly created: number
  readonly modified: number
}

/** Keeps a full copy of the state at every revision: slow, and simple enough to be evidently right. */
class Model {
  revision: number
  oldest: number
  readonly states = new Map<number, ReadonlyMap<string, Item>>()
  readonly events: { readonly revision: number; readonly key: string; readonly line: string }[] = []

  constructor(revision: number) {
    this.revision = revision
    this.oldest = revision
    this.states.set(revision, new Map())
  }

  at(revision: number): ReadonlyMap<string, Item> {
    const state = this.states.get(revision)
    assert(state)
    return state
  }

  change(name: string, value: string | undefined): void {
    const state = new Map(this.at(this.revision))
    const before = state.get(name)
    this.revision++
    if (value === undefined) state.delete(name)
    else state.set(name, { value, created: before?.created ?? this.revision, modified: this.revision })
    this.states.set(this.revision, state)
    const was = before ? ` (was ${before.value})` : ''
    this.events.push({
      revision: this.revision,
      key: name,
      line: value === undefined ? `delete ${name}${was}` : `put ${name}=${value}${was}`,
    })
  }

  list(under: string, revision: number): string[] {
    return [...this.at(revision)]
      .filter(([name]) => name.startsWith(under))
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map(([name, item]) => `${name}=${item.value} ${item.created} ${item.modified}`)
  }

  since(under: string, revision: number): string[] {
    return this.events.filter((event) => event.revision > revision && event.key.startsWith(under)).map(({ line }) => line)
  }
}

/** Compares random sequential operations with the naive model. All keys are below `root`, which nothing else uses. */
export async function checkAgainstModel(
  open: () => Promise<{ store: KeyValueStore; close(): Promise<void> }>,
  runs: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60, size: 'max' }), async (operations) => {
      const { store, close } = await open()
      try {
        await replay(store, operations)
      } finally {
        await close()
      }
    }),
    { numRuns: runs },
  )
}

async function replay(store: KeyValueStore, operations: readonly Operation[]): Promise<void> {
  const model = new Model(await store.currentRevision())
  const start = model.revision
  const watches: { recorder: Recorder; under: string; after: number; watch: ReturnType<KeyValueStore['watch']> }[] = []
  const watch = (under: string, after: number) => {
    const recorder = new Recorder()
    watches.push({ recorder, under, after, watch: store.watch(under, after, recorder) })
    return recorder
  }
  watch('', start)
  for (const operation of operations) {
    await step(store, model, operation, watch)
    assert.equal(await store.currentRevision(), model.revision)
    assert.equal(await store.count(''), model.at(model.revision).size)
  }
  for (const { recorder, under, after, watch } of watches) {
    await recorder.caughtUp(store, watch)
    assert.deepEqual(recorder.received.map(describeEvent), model.since(under, after))
  }
}

async function step(store: KeyValueStore, model: Model, operation: Operation, watch: (under: string, after: number) => Recorder) {
  const past = 'back' in operation ? Math.max(model.oldest, model.revision - operation.back) : 0
  if (operation.type === 'compact') {
    await store.compact(past)
    model.oldest = past
    return
  }
  if (operation.type === 'list') {
    const under = prefixes[operation.prefix] ?? ''
    await checkList(store, model, under, operation.limit, past)
    assert.equal(await store.count(under), model.list(under, model.revision).length)
    return
  }
  if (operation.type === 'watch') {
    watch(prefixes[operation.prefix] ?? '', past)
    // Read its backlog before a later compaction can remove it.
    await new Promise((resolve) => setImmediate(resolve))
    return
  }
  const name = names[operation.key] ?? ''
  if (operation.type === 'get') {
    const { kv } = await store.get(name, past)
    const item = model.at(past).get(name)
    assert.deepEqual(kv && [text(kv.value), kv.createRevision, kv.modRevision], item && [item.value, item.created, item.modified])
    return
  }
  const item = model.at(model.revision).get(name)
  const expected = (item?.modified ?? 0) + (operation.stale ? 1 : 0)
  if (operation.type === 'delete' && expected === 0) return
  const result = operation.type === 'put' ? await store.put(name, bytes(operation.value), expected) : await store.delete(name, expected)
  assert.equal(result.ok, !operation.stale)
  if (result.ok) model.change(name, operation.type === 'put' ? operation.value : undefined)
  else assert.deepEqual(result.current && [text(result.current.value), result.current.modRevision], item && [item.value, item.modified])
  assert.equal(result.revision, model.revision)
}

async function checkList(store: KeyValueStore, model: Model, under: string, limit: number, past: number): Promise<void> {
  const seen: string[] = []
  let from: string | undefined
  for (;;) {
    const page = await store.list({ prefix: under, limit, revision: past, ...(from !== undefined && { from }) })
    assert.equal(page.revision, past)
    append(
      seen,
      page.items.map((kv) => `${kv.key}=${text(kv.value)} ${kv.createRevision} ${kv.modRevision}`),
    )
    const last = page.items.at(-1)
    if (!page.more || !last) break
    assert.equal(page.items.length, limit)
    from = `${last.key}\0`
  }
  assert.deepEqual(seen, model.list(under, past))
}
