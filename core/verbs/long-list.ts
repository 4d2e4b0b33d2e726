/**
 * Encodes long lists and streams them: on another thread, if the runtime has one and can encode these items, otherwise in time slices.
 */

import type { ItemEncoder } from '../ports.ts'
import type { ByteSource } from '../respond/byte-source.ts'
import { concatenate } from '../schema/bytes.ts'
import { eachInSlices, type Slices } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import { encodeAway } from './item-encoding.ts'
import type { ListParts } from './list-parts.ts'

/** Bytes per chunk. */
const chunkSize = 64 * 1024
/** Maximum bytes of items that are kept between the counting pass and sending; others are encoded twice. */
const maxKept = 16 * 1024 * 1024
/** Bytes of objects from which on another thread encodes them, and that it gets at a time. */
const [worthwhile, batchSize] = [512 * 1024, 1024 * 1024]

type Item = readonly Uint8Array[]

/** The bytes of a non-empty list. Resolves when the first bytes can be taken. `encoder`: the other thread. */
export async function listSource(parts: ListParts, entries: readonly Entry[], slices: Slices, encoder?: ItemEncoder): Promise<ByteSource> {
  const made = new Map<number, Item>()
  const { sizeOf } = parts
  let size = 0
  const count = (item: Item, index: number) => {
    size += lengthOf(item)
    if (size <= maxKept) made.set(index, item)
  }
  if (sizeOf) {
    const unknown: number[] = []
    await eachInSlices(entries, slices, (entry, index) => {
      const known = sizeOf(entry)
      if (known === undefined) unknown.push(index)
      else size += known
    })
    await eachItem(parts, entries, unknown, slices, encoder, count)
  }
  return new ListSource(parts, entries, slices, made, parts.start(size), size, encoder)
}

const lengthOf = (pieces: Item) => pieces.reduce((sum, { length }) => sum + length, 0)

/** Encodes the entries with these indexes. */
async function eachItem(
  parts: ListParts,
  entries: readonly Entry[],
  indexes: readonly number[],
  slices: Slices,
  encoder: ItemEncoder | undefined,
  work: (item: Item, index: number) => void,
): Promise<void> {
  const chosen = indexes.map((index) => entries[index] as Entry)
  let next = 0
  if (encoder && isWorthwhile(parts, chosen))
    for await (const items of batches(parts, chosen, slices, encoder)) for (const item of items) work(item, indexes[next++] as number)
  else await eachInSlices(chosen, slices, (entry) => work(parts.item(entry), indexes[next++] as number))
}

function isWorthwhile({ away }: ListParts, entries: readonly Entry[]): boolean {
  if (away === undefined) return false
  let size = 0
  for (const entry of entries) {
    size += entry.size
    if (size >= worthwhile) return true
  }
  return false
}

/** Encodes entries on the other thread, a batch while the one before is used; on this one if it fails. */
async function* batches(
  parts: ListParts,
  entries: readonly Entry[],
  slices: Slices,
  encoder: ItemEncoder,
): AsyncGenerator<readonly Item[], void> {
  const { task, item } = parts.away as NonNullable<ListParts['away']>
  let next = 0
  const begin = () => {
    const first = next
    for (let size = 0; next < entries.length && size < batchSize; next++) size += (entries[next] as Entry).size
    const batch = entries.slice(first, next)
    const encoded = batch.length === 0 ? [] : encodeAway(encoder, task, batch).catch(() => undefined)
    return { batch, encoded }
  }
  for (let { batch, encoded } = begin(); batch.length > 0; ) {
    const ahead = begin()
    const found = await encoded
    const items: Item[] = []
    if (found) for (const [index, entry] of batch.entries()) items.push(item(entry, found[index] as Uint8Array))
    else await eachInSlices(batch, slices, (entry) => items.push(parts.item(entry)))
    yield items
    // Throws when the request has ended.
    await slices.next()
    ;({ batch, encoded } = ahead)
  }
}

class ListSource implements ByteSource {
  /** Not patient: its time slice begins with `ready`. */
  readonly patient = false
  readonly #parts: ListParts
  readonly #entries: readonly Entry[]
  readonly #slices: Slices
  /** Items kept from the counting pass. */
  readonly #made: Map<number, Item>
  readonly #size: number
  /** Items from the other thread, in the order of those that are not kept; absent: this thread encodes them. */
  readonly #batches: AsyncGenerator<readonly Item[], void> | undefined
  #batch: readonly Item[] = []
  #nextInBatch = 0
  #start: Uint8Array | undefined
  /** Number of entries taken, and their bytes. */
  #next = 0
  #taken = 0
  #waiting = false
  #ended = false
  #error: unknown
  #ready = () => {}

  constructor(
    parts: ListParts,
    entries: readonly Entry[],
    slices: Slices,
    made: Map<number, Item>,
    start: Uint8Array,
    size: number,
    encoder: ItemEncoder | undefined,
  ) {
    this.#parts = parts
    this.#entries = entries
    this.#slices = slices
    this.#made = made
    this.#start = start
    this.#size = size
    if (encoder === undefined || parts.away === undefined) return
    const rest: Entry[] = []
    for (const [index, entry] of entries.entries()) {
      const known = made.get(index) ?? parts.away.made(entry)
      if (known) made.set(index, known)
      else rest.push(entry)
    }
    if (isWorthwhile(parts, rest)) this.#batches = batches(parts, rest, slices, encoder)
  }

  get ended(): boolean {
    return this.#ended
  }

  open(ready: () => void): void {
    this.#ready = ready
  }

  cancel(): void {
    this.#ended = true
  }

  /** @throws the error of an item, or when the request has ended: the bytes taken so far are incomplete. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#error !== undefined) throw this.#error
    if (this.#ended || this.#waiting) return undefined
    const pieces: Uint8Array[] = []
    let size = 0
    const push = (piece: Uint8Array) => {
      pieces.push(piece)
      size += piece.length
    }
    if (this.#start !== undefined) push(this.#start)
    this.#start = undefined
    while (size < chunkSize && this.#next < this.#entries.length && !this.#mustWait) {
      if (this.#next > 0) push(this.#parts.between)
      for (const piece of this.#item(this.#next++)) push(piece)
    }
    if (this.#next === this.#entries.length) {
      if (this.#parts.sizeOf && this.#taken !== this.#size) throw new Error('list size differs from the announced size')
      push(this.#parts.end)
      this.#ended = true
    } else if (this.#mustWait) this.#wait()
    return size === 0 ? undefined : concatenate(pieces, size)
  }

  /** Whether the next item has to wait: for its batch, or for a time slice. */
  get #mustWait(): boolean {
    if (this.#batches === undefined) return this.#slices.over
    return this.#nextInBatch === this.#batch.length && !this.#made.has(this.#next)
  }

  #item(index: number): Item {
    const kept = this.#made.get(index)
    const item = kept ?? (this.#batches ? (this.#batch[this.#nextInBatch++] as Item) : this.#parts.item(this.#entries[index] as Entry))
    if (kept) this.#made.delete(index)
    this.#taken += lengthOf(item)
    return item
  }

  #wait(): void {
    this.#waiting = true
    const go = (error?: unknown) => {
      this.#waiting = false
      this.#error = error
      if (!this.#ended) this.#ready()
    }
    const waiting = this.#batches ? this.#batches.next().then(({ value }) => this.#use(value ?? [])) : this.#slices.next()
    waiting.then(() => go(), go)
  }

  #use(batch: readonly Item[]): void {
    this.#batch = batch
    this.#nextInBatch = 0
  }
}
