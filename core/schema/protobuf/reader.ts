/**
 * Reads the protobuf wire format with the values and errors of the reference's generated codecs (gogo/protobuf, `Unmarshal` and `skipGenerated`
 * in each `generated.pb.go`). Input is untrusted.
 */
import type { WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../decode-error.ts'
import { decodeUtf8, repairUtf8 } from '../formats/utf8.ts'
import type { Json } from '../model.ts'

/** Bits of a varint; those past 64 are dropped. */
const maxShift = 63
/** Bytes of texts that are read without a decoder, if they are ASCII. */
const shortText = 32

const endOfInput = () => new DecodeError('unexpected EOF')

export class WireReader {
  readonly #bytes: Uint8Array
  pos = 0
  /** End of the innermost message, past which nothing is read. */
  end: number
  /** Of the tag that was read last. */
  number = 0
  wire = 0
  /** Halves of the varint that was read last. */
  #low = 0
  #high = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.end = bytes.length
  }

  #varint(): void {
    this.#high = 0
    const first = this.#byte()
    if (first < 0x80) {
      this.#low = first
      return
    }
    let low = first & 0x7f
    let high = 0
    for (let shift = 7; shift <= maxShift; shift += 7) {
      const byte = this.#byte()
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (shift - 32)
      if (byte >= 0x80) continue
      this.#low = low
      this.#high = high
      return
    }
    throw new DecodeError('proto: integer overflow')
  }

  #byte(): number {
    if (this.pos >= this.end) throw endOfInput()
    return this.#bytes[this.pos++] as number
  }

  /** Reads a tag to `number` and `wire`. `message`: the name of the message, for errors. */
  tag(message: string): void {
    this.#varint()
    this.wire = this.#low & 7
    this.number = (this.#high << 29) | (this.#low >>> 3)
    if (this.wire === 4) throw new DecodeError(`proto: ${message}: wiretype end group for non-group`)
    if (this.number <= 0) throw new DecodeError(`proto: ${message}: illegal tag ${this.number} (wire type ${this.#unsigned()})`)
  }

  /** Reads the tag of an entry of a map, which has no errors of its own. */
  entryTag(): void {
    this.#varint()
    this.wire = this.#low & 7
    this.number = (this.#high << 29) | (this.#low >>> 3)
  }

  #unsigned(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0)
  }

  bool(): boolean {
    this.#varint()
    return (this.#low | this.#high) !== 0
  }

  int32(): number {
    this.#varint()
    return this.#low | 0
  }

  /** A number if it is safe, otherwise a bigint. */
  int64(): Json {
    this.#varint()
    const value = this.#high * 2 ** 32 + (this.#low >>> 0)
    return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, this.#unsigned())
  }

  bigInt64(): bigint {
    this.#varint()
    return BigInt.asIntN(64, this.#unsigned())
  }

  double(): number {
    const at = this.#advance(8)
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + at, 8).getFloat64(0, true)
  }

  /** Reads a length; returns where what follows ends. */
  extent(): number {
    this.#varint()
    if (this.#high < 0) throw new DecodeError('proto: negative length found during unmarshaling')
    const end = this.pos + this.#high * 2 ** 32 + (this.#low >>> 0)
    if (end > this.end) throw endOfInput()
    return end
  }

  /** A view of the memory. */
  bytes(): Uint8Array {
    const end = this.extent()
    const value = this.#bytes.subarray(this.pos, end)
    this.pos = end
    return value
  }

  /** A text; each invalid byte becomes U+FFFD, as when Go prints it. */
  string(): string {
    const end = this.extent()
    const start = this.pos
    this.pos = end
    if (end - start <= shortText) {
      let text = ''
      let at = start
      for (; at < end; at++) {
        const byte = this.#bytes[at] as number
        if (byte > 0x7f) break
        text += String.fromCharCode(byte)
      }
      if (at === end) return text
    }
    const bytes = this.#bytes.subarray(start, end)
    return decodeUtf8(bytes) ?? repairUtf8(bytes)
  }

  #advance(count: number): number {
    const at = this.pos
    if (at + count > this.end) throw endOfInput()
    this.pos = at + count
    return at
  }

  expect(wire: WireType, name: string): void {
    if (this.wire !== wire) throw new DecodeError(`proto: wrong wireType = ${this.wire} for field ${name}`)
  }

  /** Skips the value of an unknown field, of which the tag has been read: also a group, within which numbers of fields do not count. */
  skip(): void {
    let { wire } = this
    for (let groups = 0; ; ) {
      if (wire === 0) this.#varint()
      else if (wire === 1) this.#advance(8)
      else if (wire === 2) this.pos = this.extent()
      else if (wire === 3) groups++
      else if (wire === 4) {
        if (groups === 0) throw new DecodeError('proto: unexpected end of group')
        groups--
      } else if (wire === 5) this.#advance(4)
      else throw new DecodeError(`proto: illegal wireType ${wire}`)
      if (groups === 0) return
      this.#varint()
      wire = this.#low & 7
    }
  }
}
