/** Writes the parts of DER (X.690) that certificates need. */
import { childrenOf, readDer, writeDer } from '../../../core/schema/formats/der.ts'

const tlv = (tag: number, ...content: readonly Uint8Array[]) => Buffer.from(writeDer(tag, ...content))

export const sequence = (...content: readonly Uint8Array[]) => tlv(0x30, ...content)
export const set = (...content: readonly Uint8Array[]) => tlv(0x31, ...content)
/** Context-specific and constructed. */
export const tagged = (number: number, ...content: readonly Uint8Array[]) => tlv(0xa0 | number, ...content)
/** Context-specific and primitive. */
export const implicit = (number: number, content: Uint8Array) => tlv(0x80 | number, content)
export const boolean = (value: boolean) => tlv(0x01, Uint8Array.of(value ? 0xff : 0))
/** A positive integer, from its bytes in big-endian order. */
export const integer = (bytes: Uint8Array) => tlv(0x02, (bytes[0] ?? 0) >= 0x80 ? Uint8Array.of(0) : new Uint8Array(), bytes)
export const bitString = (bytes: Uint8Array, unusedBits = 0) => tlv(0x03, Uint8Array.of(unusedBits), bytes)
export const octetString = (bytes: Uint8Array) => tlv(0x04, bytes)
export const utf8 = (text: string) => tlv(0x0c, Buffer.from(text))
export const nothing = () => tlv(0x05)

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const digits = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
    bytes.push(...digits)
  }
  return tlv(0x06, Uint8Array.from(bytes))
}

/** UTCTime until 2049, GeneralizedTime from then on (RFC 5280 4.1.2.5). */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits))
}

/** The elements of a constructed value, with their headers. */
export function elements(der: Uint8Array): Uint8Array[] {
  const whole = readDer(der)
  return childrenOf(whole, whole.tag).map(({ raw }) => raw)
}
