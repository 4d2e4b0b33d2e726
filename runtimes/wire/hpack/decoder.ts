/** Reads header blocks (RFC 7541). */
import { ConnectionError, errorCodes } from '../errors.ts'
import { DynamicTable, defaultTableSize, entryOverhead } from './dynamic-table.ts'
import { huffmanDecoded } from './huffman.ts'
import { representations } from './representations.ts'
import { staticTable } from './static-table.ts'

const wrong = (message: string) => new ConnectionError(errorCodes.compressionError, message)
const nothing = Buffer.alloc(0)
/** Cache of decoded values outside of the dynamic table: sizes in bytes, and number of entries. */
const minKeptBytes = 128
const maxKeptBytes = 4_096
const maxKept = 2

/** Maximum continuation bytes of an integer; no valid value needs more. */
const maxNumberBytes = 4

export interface DecoderLimits {
  /** Size in bytes of the dynamic table, as announced to the peer. */
  readonly tableSize: number
  /** Maximum fields of one list. */
  readonly fields: number
  /** Maximum bytes of one list as in RFC 9113, section 6.5.2, with 32 bytes per field. */
  readonly bytes: number
}

/** The decoded fields of one block. */
export interface FieldList {
  /** Names and values, alternating. */
  readonly fields: readonly string[]
  /** The list exceeds a limit, and `fields` is empty. The table is consistent: the connection can continue. */
  readonly tooLarge: boolean
  /** Bytes of the list as in RFC 9113, section 6.5.2. */
  readonly bytes: number
}

/** Decoder of one direction of one connection; blocks must be decoded in order of arrival. */
export class Decoder {
  readonly #limits: DecoderLimits
  readonly #table: DynamicTable
  /** Last long value of each field outside of the table: encoded and decoded. */
  readonly #kept = new Map<string, { readonly bytes: Buffer; readonly text: string }>()
  #block: Buffer = nothing
  #at = 0

  constructor({
    tableSize = defaultTableSize,
    fields = Number.POSITIVE_INFINITY,
    bytes = Number.POSITIVE_INFINITY,
  }: Partial<DecoderLimits> = {}) {
    this.#limits = { tableSize, fields, bytes }
    this.#table = new DynamicTable(tableSize)
  }

  /** Decodes a block. @throws ConnectionError when it is malformed. */
  decode(block: Buffer): FieldList {
    this.#block = block
    this.#at = 0
    const { fields: maxFields, bytes: maxBytes } = this.#limits
    const { added, indexed, literal, tableSize } = representations
    const fields: string[] = []
    let bytes = 0
    let tooLarge = false
    let begun = false
    while (this.#at < block.length) {
      const first = block[this.#at] as number
      let name: string
      let value: string
      if (first & indexed.flag) {
        const entry = this.#entry(this.#number(indexed.bits))
        name = entry[0]
        value = entry[1]
      } else if (first & added.flag) {
        name = this.#name(added.bits)
        value = this.#string()
        this.#table.add(name, value)
      } else if (first & tableSize.flag) {
        if (begun) throw wrong('the size of the header table changes within a block')
        this.#resize(this.#number(tableSize.bits))
        continue
      } else {
        name = this.#name(literal.bits)
        value = this.#unindexed(name)
      }
      begun = true
      bytes += name.length + value.length + entryOverhead
      tooLarge ||= bytes > maxBytes || fields.length >= 2 * maxFields
      if (!tooLarge) fields.push(name, value)
    }
    // A block may have a MiB, and the connection last for hours.
    this.#block = nothing
    return { fields: tooLarge ? [] : fields, tooLarge, bytes }
  }

  #resize(size: number): void {
    if (size > this.#limits.tableSize) throw wrong('the size of the header table is not what was announced')
    this.#table.resize(size)
  }

  #entry(index: number): readonly [name: string, value: string] {
    const entry = staticTable[index - 1] ?? this.#table.at(index - 1 - staticTable.length)
    if (entry === undefined) throw wrong(`a header has index ${index}, which is not in the table`)
    return entry
  }

  #name(bits: number): string {
    const index = this.#number(bits)
    return index === 0 ? this.#string() : this.#entry(index)[0]
  }

  /** The byte at `#at`. */
  #byte(): number {
    const byte = this.#block[this.#at]
    if (byte === undefined) throw wrong('a header ends too early')
    return byte
  }

  /** An integer (section 5.1). */
  #number(bits: number): number {
    const maxPrefix = (1 << bits) - 1
    let value = this.#byte() & maxPrefix
    this.#at++
    if (value < maxPrefix) return value
    for (let shift = 0; shift < 7 * maxNumberBytes; shift += 7) {
      const byte = this.#byte()
      this.#at++
      value += (byte & 0x7f) << shift
      if ((byte & 0x80) === 0) return value
    }
    throw wrong('a header has a number that is too large')
  }

  /** A string (section 5.2). */
  #string(): string {
    const from = this.#at
    return this.#text(from, this.#skipString())
  }

  /** Skips a string; returns the offset of its octets. */
  #skipString(): number {
    const length = this.#number(representations.huffman.bits)
    const start = this.#at
    this.#at = start + length
    if (this.#at > this.#block.length) throw wrong('a header ends too early')
    return start
  }

  /** Decodes the string at `from`, with octets from `start` to before `#at`. */
  #text(from: number, start: number): string {
    const coded = ((this.#block[from] as number) & representations.huffman.flag) !== 0
    return coded ? huffmanDecoded(this.#block, start, this.#at) : this.#block.toString('latin1', start, this.#at)
  }

  /**
   * A value that is not indexed, such as credentials, which clients keep out of the table on purpose (section 7.1.3). A long value that is
   * repeated returns the same string as before, so that it need not be decoded, validated and hashed again.
   */
  #unindexed(name: string): string {
    const from = this.#at
    const start = this.#skipString()
    const length = this.#at - start
    if (length < minKeptBytes || length > maxKeptBytes) return this.#text(from, start)
    const known = this.#kept.get(name)
    if (known !== undefined && this.#block.compare(known.bytes, 0, known.bytes.length, from, this.#at) === 0) return known.text
    const text = this.#text(from, start)
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(name, { bytes: Buffer.from(this.#block.subarray(from, this.#at)), text })
    return text
  }
}
