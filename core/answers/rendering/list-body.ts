/** The body of a list: made at once or in time slices and remembered, or, if it is long, streamed while it is made. */

import { eachInSlices, type Slices } from '../../common/slices.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { FeedList } from '../../objects/watch/feed.ts'
import { concatenate, totalLength } from '../../schema/bytes.ts'
import type { ByteSource } from '../byte-source.ts'
import type { ListParts } from '../list-parts.ts'

/** A list of stored objects. */
export type StoredParts = ListParts<StoredObject>

/** Lists up to this length and this size in bytes are made at once. */
const [fewEntries, fewBytes] = [32, 128 * 1024]
/** Maximum bytes of a list that is not streamed. */
const maxBytes = 4 * 1024 * 1024
/** Bytes per chunk. */
const chunkSize = 64 * 1024
/**
 * Maximum bytes of a list that are kept between the counting pass and sending; the items behind them are encoded twice. For one list at a time,
 * and for each of the others.
 */
const [maxKeptOfFirst, maxKept] = [64 * 1024 * 1024, 16 * 1024 * 1024]

/** Adds the pieces of an item of a list that is not streamed. */
function add<T>(pieces: Uint8Array[], parts: ListParts<T>, of: T): void {
  if (pieces.length > 0) pieces.push(parts.between)
  for (const piece of parts.item(of, false)) pieces.push(piece)
}

function piecesOf<T>(parts: ListParts<T>, items: readonly T[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (const item of items) add(pieces, parts, item)
  return pieces
}

/** The list around the pieces of its items, and their place. */
function around<T>(parts: ListParts<T>, pieces: readonly Uint8Array[], count: number) {
  const size = totalLength(pieces)
  const before = parts.start(size, count)
  const [start, end] = [before.length, before.length + size]
  return { bytes: concatenate([before].concat(pieces, parts.end), end + parts.end.length), start, end }
}

/** A list that is not remembered. */
export function joined<T>(parts: ListParts<T>, items: readonly T[]): Uint8Array {
  return parts.whole?.(items) ?? around(parts, piecesOf(parts, items), items.length).bytes
}

/** The list around the pieces of its items, remembered while it has the same entries. */
function remembered(parts: StoredParts, { entries, kept }: FeedList, pieces: readonly Uint8Array[], until = parts.until?.()): Uint8Array {
  const made = around(parts, pieces, entries.length)
  if (parts.remembered && made.bytes.length <= maxBytes && entries.length > 1)
    kept?.set(parts.remembered.name, { ...made, head: parts.remembered.head, until: until ?? Number.POSITIVE_INFINITY })
  return made.bytes
}

/** A list that is remembered; of one with another head, the items. Undefined: there is none, or `now` has reached the time at which an item changes. */
function recalled(parts: StoredParts, found: FeedList, now: number): Uint8Array | undefined {
  const known = parts.remembered && found.kept?.get(parts.remembered.name)
  if (known === undefined || now >= known.until) return undefined
  if (known.head === parts.remembered?.head) return known.bytes
  return remembered(parts, found, [known.bytes.subarray(known.start, known.end)], known.until)
}

/** The whole list, made at once. `now`: milliseconds since the epoch. */
export function wholeList(parts: StoredParts, found: FeedList, now: number): Uint8Array {
  if (parts.remembered === undefined) return joined(parts, found.entries)
  return recalled(parts, found, now) ?? remembered(parts, found, piecesOf(parts, found.entries))
}

/** The body of a list; the source of a long one resolves when its first bytes can be taken. */
export function listBody(
  parts: StoredParts,
  found: FeedList,
  now: number,
  { slices, budget }: { readonly slices: () => Slices; readonly budget: ListBudget },
): Uint8Array | Promise<Uint8Array | ByteSource> {
  const { entries, kept } = found
  if (entries.length <= fewEntries && !areLarger(entries, fewBytes)) return wholeList(parts, found, now)
  const known = recalled(parts, found, now)
  if (known !== undefined) return known
  const isPassing = parts.remembered === undefined || (parts.until !== undefined && kept === undefined)
  if (isPassing || areLarger(entries, maxBytes)) return listSource(parts, entries, slices(), budget)
  if (parts.isMade) return wholeList(parts, found, now)
  const pieces: Uint8Array[] = []
  return eachInSlices(entries, slices(), (entry) => add(pieces, parts, entry)).then(() => remembered(parts, found, pieces))
}

/** Estimates by stored size whether a list has more bytes. */
function areLarger(entries: readonly StoredObject[], bytes: number): boolean {
  let size = 0
  for (const entry of entries) {
    size += entry.size
    if (size > bytes) return true
  }
  return false
}

/** Knows which list may keep most. */
export class ListBudget {
  readonly #maxOfFirst: number
  readonly #max: number
  #holder: Slices | undefined

  /** Maximum bytes, for one list and for each other one. */
  constructor(ofFirst = maxKeptOfFirst, max = maxKept) {
    this.#maxOfFirst = ofFirst
    this.#max = max
  }

  /** Maximum bytes that the list with these slices may keep until it leaves, or its request has ended. */
  enter(slices: Slices): number {
    if (this.#holder?.ended === false) return this.#max
    this.#holder = slices
    return this.#maxOfFirst
  }

  leave(slices: Slices): void {
    if (this.#holder === slices) this.#holder = undefined
  }
}

/** The bytes of a non-empty list that is streamed. Resolves when the first bytes can be taken. */
export async function listSource(
  parts: StoredParts,
  entries: readonly StoredObject[],
  slices: Slices,
  budget: ListBudget,
): Promise<ByteSource> {
  const source = new ListSource(parts, entries, slices, budget)
  try {
    await source.prepare()
  } catch (error) {
    source.cancel()
    throw error
  }
  return source
}

class ListSource implements ByteSource {
  /** Its time slice begins with `ready`. */
  readonly isDeferrable = false
  readonly #parts: StoredParts
  readonly #entries: readonly StoredObject[]
  readonly #slices: Slices
  readonly #budget: ListBudget
  /** The bytes before the first item, then what the counting pass has kept; those before `taken` have been taken. */
  readonly #chunks: (Uint8Array<ArrayBuffer> | undefined)[] = []
  #taken = 0
  /** Pieces of the next chunk, and their size. */
  #pieces: Uint8Array[] = []
  #pending = 0
  /** Number of entries in chunks, and the bytes of their items. */
  #next = 0
  #itemBytes = 0
  /** Bytes of all items, as announced. */
  #size = 0
  #waiting = false
  #ended = false
  #error: unknown
  #ready = () => {}

  constructor(parts: StoredParts, entries: readonly StoredObject[], slices: Slices, budget: ListBudget) {
    this.#parts = parts
    this.#entries = entries
    this.#slices = slices
    this.#budget = budget
  }

  /** Makes the bytes before the first item. If they need the size of all items, counts it, and keeps the first items. */
  async prepare(): Promise<void> {
    if (this.#parts.sizeOf) await this.#count(this.#parts.sizeOf)
    this.#chunks.unshift(this.#parts.start(this.#size, this.#entries.length) as Uint8Array<ArrayBuffer>)
  }

  async #count(sizeOf: NonNullable<StoredParts['sizeOf']>): Promise<void> {
    const max = this.#budget.enter(this.#slices)
    let others = 0
    await eachInSlices(this.#entries, this.#slices, (entry) => {
      if (this.#itemBytes < max) {
        this.#add()
        if (this.#pending >= chunkSize) this.#chunks.push(this.#cut())
      } else others += sizeOf(entry) ?? totalLength(this.#parts.item(entry, true))
    })
    if (this.#pending > 0) this.#chunks.push(this.#cut())
    this.#size = this.#itemBytes + others
  }

  get ended(): boolean {
    return this.#ended
  }

  open(ready: () => void): void {
    this.#ready = ready
  }

  cancel(): void {
    this.#ended = true
    this.#chunks.length = 0
    this.#budget.leave(this.#slices)
  }

  /** @throws the error of an item, or when the request has ended: the bytes taken so far are incomplete. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    try {
      return this.#take()
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  #take(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#error !== undefined) throw this.#error
    if (this.#ended || this.#waiting) return undefined
    const made = this.#chunks[this.#taken]
    if (made !== undefined && !this.#slices.over) {
      this.#chunks[this.#taken++] = undefined
      return made
    }
    if (made === undefined) {
      while (this.#pending < chunkSize && this.#next < this.#entries.length && !this.#slices.over) this.#add()
      if (this.#next === this.#entries.length) this.#end()
    }
    if (!this.#ended && this.#slices.over) this.#wait()
    return this.#pending === 0 ? undefined : this.#cut()
  }

  /** Adds the next item to the next chunk. */
  #add(): void {
    if (this.#next > 0) this.#push(this.#parts.between)
    const before = this.#pending
    for (const piece of this.#parts.item(this.#entries[this.#next++] as StoredObject, true)) this.#push(piece)
    this.#itemBytes += this.#pending - before
  }

  #push(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#pending += piece.length
  }

  /** The next chunk. */
  #cut(): Uint8Array<ArrayBuffer> {
    const chunk = concatenate(this.#pieces, this.#pending)
    this.#pieces = []
    this.#pending = 0
    return chunk
  }

  #end(): void {
    if (this.#parts.sizeOf && this.#itemBytes !== this.#size) throw new Error('list size differs from the announced size')
    this.#push(this.#parts.end)
    this.#ended = true
    this.#budget.leave(this.#slices)
  }

  #wait(): void {
    this.#waiting = true
    const go = (error?: unknown) => {
      this.#waiting = false
      this.#error = error
      if (!this.#ended) this.#ready()
    }
    this.#slices.next().then(() => go(), go)
  }
}
