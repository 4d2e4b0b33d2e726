/** Writes header blocks (RFC 7541) of one direction of one connection. */
import { DynamicTable, defaultTableSize } from './dynamic-table.ts'
import { representations } from './representations.ts'
import { staticFieldIndex, staticNameIndex, staticTable } from './static-table.ts'
import { numbersOfField, writeNumber, writePlain, writeShort } from './write.ts'

/** State of one field name. */
interface Name {
  readonly index: number
  /** Last value sent. */
  value: string
  /** Index in the static table; 0: none. */
  whole: number
  /** Number in the dynamic table; 0: none. */
  number: number
}

/** Maximum names to remember: more than responses have. */
const maxNames = 64
/** Maximum length of an indexed value; longer ones would evict all others. */
const maxKeptBytes = 512

/**
 * Encoder of one direction of one connection. A field is added to the dynamic table when it has the same value twice in a row: fields that
 * all responses of a connection have in common are added soon, and fields that always differ, such as ids, never.
 */
export class Encoder {
  readonly #table = new DynamicTable(defaultTableSize)
  readonly #names = new Map<string, Name>()
  /** Table sizes to announce with the next block (section 4.2): the smallest since the last block, and the current one. */
  #sizes: readonly number[] = []
  #size = defaultTableSize

  /** Applies SETTINGS_HEADER_TABLE_SIZE; at most the default is used. */
  resize(peers: number): void {
    const size = Math.min(peers, defaultTableSize)
    if (size === this.#size) return
    this.#size = size
    this.#table.resize(size)
    const [smallest = size] = this.#sizes
    this.#sizes = smallest < size ? [smallest, size] : [size]
  }

  /** Maximum bytes of a block of these fields. */
  static bound(fields: readonly string[]): number {
    let bytes = 2 * numbersOfField + fields.length * numbersOfField
    for (const text of fields) bytes += text.length
    return bytes
  }

  /**
   * Writes a block of fields (names in lower case and values, alternating) into `to`, which must have enough space (see `bound`); returns the
   * offset after it. Blocks must be sent in the order in which they were encoded.
   * @throws TypeError for a field that can't be encoded: the whole block must then be discarded.
   */
  write(to: Buffer, start: number, fields: readonly string[]): number {
    try {
      let at = start
      for (const size of this.#sizes) at = writeNumber(to, at, representations.tableSize, size)
      for (let i = 0; i < fields.length; i += 2) at = this.#field(to, at, fields[i] as string, fields[i + 1] as string)
      if (this.#sizes.length > 0) this.#sizes = []
      return at
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  /** After a block was discarded, clears both tables (the peer's with the next block), because they may differ. */
  #forget(): void {
    this.#names.clear()
    this.#table.resize(0)
    this.#table.resize(this.#size)
    this.#sizes = [0, this.#size]
  }

  #field(to: Buffer, at: number, name: string, value: string): number {
    const { indexed, added } = representations
    const known = this.#names.get(name) ?? this.#learn(name)
    if (known === undefined) return this.#literal(to, at, 0, name, value)
    if (known.value !== value) {
      known.value = value
      known.whole = staticFieldIndex(name, value)
      known.number = 0
      return known.whole > 0 ? writeNumber(to, at, indexed, known.whole) : this.#literal(to, at, known.index, name, value)
    }
    if (known.whole > 0) return writeNumber(to, at, indexed, known.whole)
    const place = known.number > 0 ? this.#table.placeOf(known.number) : undefined
    if (place !== undefined) return writeNumber(to, at, indexed, staticTable.length + 1 + place)
    if (value.length > maxKeptBytes) return this.#literal(to, at, known.index, name, value)
    this.#table.add(name, value)
    known.number = this.#table.added
    const afterIndex = writeNumber(to, at, added, known.index)
    return writeShort(to, known.index > 0 ? afterIndex : writeShort(to, afterIndex, name), value)
  }

  #literal(to: Buffer, at: number, index: number, name: string, value: string): number {
    const afterIndex = writeNumber(to, at, representations.literal, index)
    return writePlain(to, index > 0 ? afterIndex : writePlain(to, afterIndex, name), value)
  }

  #learn(name: string): Name | undefined {
    if (this.#names.size >= maxNames) return undefined
    const known = { index: staticNameIndex(name), value: '\0', whole: 0, number: 0 }
    this.#names.set(name, known)
    return known
  }
}
