/**
 * Headers of HTTP/2 (RFC 7541) without a dynamic table: this end announces that it keeps none, and uses none of the peer's. So a block means
 * the same whenever it comes.
 */
import { ConnectionError, errorCodes } from './errors.ts'
import { huffmanDecoded } from './huffman.ts'
import { staticTable } from './static-table.ts'

export type Headers = ReadonlyMap<string, string>

/** Section 6: what a field starts with, and how many bits of a number follow in the same byte. */
const indexed = { flag: 0x80, bits: 7 } as const
/** To be added to a table that holds nothing: gone at once (section 4.4). */
const added = { flag: 0x40, bits: 6 } as const
const tableSize = { flag: 0x20, bits: 5 } as const
const literalBits = 4
const huffman = { flag: 0x80, bits: 7 } as const

const wrong = (message: string) => new ConnectionError(errorCodes.compressionError, message)

/** Reads one block from its start to its end. */
class Block {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The byte that comes. */
  get first(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw wrong('a header ends too early')
    return byte
  }

  /** Section 5.1. No number of use has more than four bytes. */
  number(bits: number): number {
    const most = 2 ** bits - 1
    let value = this.first & most
    this.#at++
    if (value < most) return value
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.first
      this.#at++
      value += (byte & 0x7f) * 2 ** shift
      if ((byte & 0x80) === 0) return value
    }
    throw wrong('a header has a number that is too large')
  }

  /** Section 5.2. */
  string(): string {
    const coded = (this.first & huffman.flag) !== 0
    const length = this.number(huffman.bits)
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    if (bytes.length < length) throw wrong('a header ends too early')
    this.#at += length
    return coded ? huffmanDecoded(bytes) : bytes.toString('latin1')
  }
}

function entryOf(index: number): readonly [name: string, value: string] {
  const entry = staticTable[index - 1]
  if (entry === undefined) throw wrong(`a header has index ${index}, which is not in the table`)
  return entry
}

function nameOf(block: Block, bits: number): string {
  const index = block.number(bits)
  return index === 0 ? block.string() : entryOf(index)[0]
}

/**
 * The last value of each name.
 * @throws ConnectionError when the block is not right.
 */
export function decodedHeaders(bytes: Buffer): Headers {
  const block = new Block(bytes)
  const headers = new Map<string, string>()
  while (!block.done) {
    const { first } = block
    if (first & indexed.flag) headers.set(...entryOf(block.number(indexed.bits)))
    else if (first & added.flag) headers.set(nameOf(block, added.bits), block.string())
    else if ((first & tableSize.flag) === 0) headers.set(nameOf(block, literalBits), block.string())
    else if (headers.size > 0 || block.number(tableSize.bits) > 0) throw wrong('the size of the header table is not what was announced')
  }
  return headers
}

/** Blocks of this size are kept; there are few different ones when all goes well. */
const longestKnown = 256
const mostKnown = 32

/** Decodes, and remembers what it has decoded. */
export class HeaderDecoder {
  readonly #known = new Map<string, Headers>()

  decode(block: Buffer): Headers {
    if (block.length > longestKnown) return decodedHeaders(block)
    const key = block.toString('latin1')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const headers = decodedHeaders(block)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(key, headers)
    return headers
  }
}

/** Every field as a literal that enters no table, or as an index where the static table has it; strings as they are. */
export function encodedHeaders(headers: Iterable<readonly [name: string, value: string]>): Buffer {
  return Buffer.concat([...headers].map(([name, value]) => encodedField(name, value)))
}

function encodedField(name: string, value: string): Buffer {
  const whole = staticTable.findIndex((entry) => entry[0] === name && entry[1] === value) + 1
  if (whole > 0 && value !== '') return encodedNumber(indexed.flag, indexed.bits, whole)
  const index = staticTable.findIndex((entry) => entry[0] === name) + 1
  const start = encodedNumber(0, literalBits, index)
  return Buffer.concat(index > 0 ? [start, encodedString(value)] : [start, encodedString(name), encodedString(value)])
}

function encodedString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([encodedNumber(0, huffman.bits, bytes.length), bytes])
}

function encodedNumber(flag: number, bits: number, value: number): Buffer {
  const most = 2 ** bits - 1
  if (value < most) return Buffer.of(flag | value)
  const bytes = [flag | most]
  let rest = value - most
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
  return Buffer.from([...bytes, rest])
}
