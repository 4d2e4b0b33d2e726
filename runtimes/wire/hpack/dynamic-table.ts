/** The dynamic table (RFC 7541, sections 2.3.2 and 4). */
import type { Field } from './static-table.ts'

/** Overhead in bytes of an entry, besides name and value (section 4.1). */
export const entryOverhead = 32
/** Default size in bytes of a table (RFC 9113, section 6.5.2). */
export const defaultTableSize = 4_096

export class DynamicTable {
  /** Newest last. */
  #entries: Field[] = []
  #bytes = 0
  #maxBytes: number
  /** Number of entries ever added. */
  #added = 0

  /** `maxBytes`: maximum size in bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#entries.length
  }

  /** Number of entries ever added, which is the number of the newest one. */
  get added(): number {
    return this.#added
  }

  /** Entry by index; 0 is the newest. */
  at(place: number): Field | undefined {
    return this.#entries[this.#entries.length - 1 - place]
  }

  /** Index of the `number`-th added entry; undefined when it was evicted. */
  placeOf(number: number): number | undefined {
    const place = this.#added - number
    return place >= 0 && place < this.#entries.length ? place : undefined
  }

  /** Adds an entry and evicts the oldest ones; an entry larger than the table empties it (section 4.4). */
  add(name: string, value: string): void {
    const size = name.length + value.length + entryOverhead
    this.#shrink(this.#maxBytes - size)
    this.#added++
    if (size > this.#maxBytes) return
    this.#entries.push([name, value])
    this.#bytes += size
  }

  /** Changes the maximum size. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#shrink(maxBytes)
  }

  #shrink(maxBytes: number): void {
    let dropped = 0
    while (dropped < this.#entries.length && this.#bytes > maxBytes) {
      const [name, value] = this.#entries[dropped++] as Field
      this.#bytes -= name.length + value.length + entryOverhead
    }
    if (dropped > 0) this.#entries.splice(0, dropped)
  }
}
