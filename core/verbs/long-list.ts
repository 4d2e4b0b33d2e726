/** Encodes long lists in time slices and streams them. */

import type { ByteSource } from '../respond/byte-source.ts'
import { concatenate, totalLength } from '../schema/bytes.ts'
import { eachInSlices, type Slices } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import type { ListParts } from './list-parts.ts'

/** Bytes per chunk. */
const chunkSize = 64 * 1024
/**
 * Maximum bytes of a list that are kept between the counting pass and sending; the items behind them are encoded twice. For one list at a time,
 * and for each of the others.
 */
const [maxKeptOfFirst, maxKept] = [64 * 1024 * 1024, 16 * 1024 * 1024]

/** Knows which list may keep most. */
export class ListBudget {
  readonly #most: number
  readonly #max: number
  #holder: Slices | undefined

  /** Maximum bytes, for one list and for each other one. */
  constructor(maxBytes = maxKeptOfFirst, max = maxKept) {
    this.#most = maxBytes
    this.#max = max
  }

  /** Maximum bytes that the list with these slices may keep until it leaves, or its request has ended. */
  enter(slices: Slices): number {
    if (this.#holder?.ended === false) return this.#max
    this.#holder = slices
    return this.#most
  }

  leave(slices: Slices): void {
    if (this.#holder === slices) this.#holder = undefined
  }
}

/** The bytes of a non-empty list. Resolves when the first bytes can be taken. */
export async function listSource(parts: ListParts, entries: readonly Entry[], slices: Slices, room: ListBudget): Promise<ByteSource> {
  const source = new ListSource(parts, entries, slices, room)
  try {
    await source.prepare()
  } catch (error) {
    source.cancel()
    throw error
  }
  return source
}

class ListSource implements ByteSource {
  /** Not patient: its time slice begins with `ready`. */
  readonly patient = false
  readonly #parts: ListParts
  readonly #entries: readonly Entry[]
  readonly #slices: Slices
  readonly #room: ListBudget
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

  constructor(parts: ListParts, entries: readonly Entry[], slices: Slices, room: ListBudget) {
    this.#parts = parts
    this.#entries = entries
    this.#slices = slices
    this.#room = room
  }

  /** Makes the bytes before the first item. If they need the size of all items, counts it, and keeps the first items. */
  async prepare(): Promise<void> {
    if (this.#parts.sizeOf) await this.#count(this.#parts.sizeOf)
    this.#chunks.unshift(this.#parts.start(this.#size) as Uint8Array<ArrayBuffer>)
  }

  async #count(sizeOf: NonNullable<ListParts['sizeOf']>): Promise<void> {
    const most = this.#room.enter(this.#slices)
    let others = 0
    await eachInSlices(this.#entries, this.#slices, (entry) => {
      if (this.#itemBytes < most) {
        this.#add()
        if (this.#pending >= chunkSize) this.#chunks.push(this.#cut())
      } else others += sizeOf(entry) ?? totalLength(this.#parts.item(entry))
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
    this.#room.leave(this.#slices)
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
    for (const piece of this.#parts.item(this.#entries[this.#next++] as Entry)) this.#push(piece)
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
    this.#room.leave(this.#slices)
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
