/** Encodes long lists in time slices and streams them. */

import type { ByteSource } from '../respond/byte-source.ts'
import { concatenate } from '../schema/bytes.ts'
import { eachInSlices, type Slices } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import type { ListParts } from './list-parts.ts'

/** Bytes per chunk. */
const chunkSize = 64 * 1024
/** Maximum bytes of items that are kept between the counting pass and sending; others are encoded twice. */
const maxKept = 16 * 1024 * 1024

/** The bytes of a non-empty list. Resolves when the first bytes can be taken. */
export async function listSource(parts: ListParts, entries: readonly Entry[], slices: Slices): Promise<ByteSource> {
  const made: (readonly Uint8Array[] | undefined)[] = []
  let size = 0
  const { sizeOf } = parts
  if (sizeOf)
    await eachInSlices(entries, slices, (entry, index) => {
      const known = sizeOf(entry)
      const item = known === undefined ? parts.item(entry) : undefined
      size += known ?? lengthOf(item ?? [])
      if (item && size <= maxKept) made[index] = item
    })
  return new ListSource(parts, entries, slices, made, parts.start(size), size)
}

const lengthOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0)

class ListSource implements ByteSource {
  /** Not patient: its time slice begins with `ready`. */
  readonly patient = false
  readonly #parts: ListParts
  readonly #entries: readonly Entry[]
  readonly #slices: Slices
  /** Items kept from the counting pass. */
  readonly #made: (readonly Uint8Array[] | undefined)[]
  readonly #size: number
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
    made: (readonly Uint8Array[] | undefined)[],
    start: Uint8Array,
    size: number,
  ) {
    this.#parts = parts
    this.#entries = entries
    this.#slices = slices
    this.#made = made
    this.#start = start
    this.#size = size
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
    while (size < chunkSize && this.#next < this.#entries.length && !this.#slices.over) {
      if (this.#next > 0) push(this.#parts.between)
      for (const piece of this.#item(this.#next++)) push(piece)
    }
    if (this.#next === this.#entries.length) {
      if (this.#parts.sizeOf && this.#taken !== this.#size) throw new Error('list size differs from the announced size')
      push(this.#parts.end)
      this.#ended = true
    } else if (this.#slices.over) this.#wait()
    return size === 0 ? undefined : concatenate(pieces, size)
  }

  #item(index: number): readonly Uint8Array[] {
    const item = this.#made[index] ?? this.#parts.item(this.#entries[index] as Entry)
    this.#made[index] = undefined
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
    this.#slices.next().then(() => go(), go)
  }
}
