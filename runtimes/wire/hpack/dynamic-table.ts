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
  #most: number
  /** How many entries were ever added. */
  #added = 0

  /** `most`: bytes that it holds. */
  constructor(most: number) {
    this.#most = most
  }

  get length(): number {
    return this.#entries.length
  }

  /** How many entries were ever added: the number of the newest one. */
  get added(): number {
    return this.#added
  }

  /** The entry at that place; 0 is the newest. */
  at(place: number): Field | undefined {
    return this.#entries[this.#entries.length - 1 - place]
  }

  /** Where the entry is that was the `number`-th to be added; undefined when it is gone. */
  placeOf(number: number): number | undefined {
    const place = this.#added - number
    return place >= 0 && place < this.#entries.length ? place : undefined
  }

  /** Drops the oldest until the new one fits; one that is larger than the table leaves it empty (section 4.4). */
  add(name: string, value: string): void {
    const size = name.length + value.length + entryOverhead
    this.#shrink(this.#most - size)
    this.#added++
    if (size > this.#most) return
    this.#entries.push([name, value])
    this.#bytes += size
  }

  /** Changes how many bytes it holds. */
  resize(most: number): void {
    this.#most = most
    this.#shrink(most)
  }

  #shrink(most: number): void {
    let dropped = 0
    while (dropped < this.#entries.length && this.#bytes > most) {
      const [name, value] = this.#entries[dropped++] as Field
      this.#bytes -= name.length + value.length + entryOverhead
    }
    if (dropped > 0) this.#entries.splice(0, dropped)
  }
}
