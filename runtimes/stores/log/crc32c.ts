/** The Castagnoli polynomial, bits reversed (RFC 3720, appendix B.4). */
const polynomial = 0x82f63b78
const lanes = 16

/** At `n * 256 + byte`: the checksum of a byte followed by n zero bytes, for processing sixteen bytes per step. */
const table = makeTable()

function makeTable(): Int32Array {
  const made = new Int32Array(lanes * 256)
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
    made[byte] = value
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256]!
    made[at] = (before >>> 8) ^ made[before & 255]!
  }
  return made
}

/** Bytes from which reading words saves more than their view costs. */
const wordsFrom = 256

/** CRC32C of the bytes in [`from`, `to`), continuing from `seed`. The runtimes have only CRC32 built in. */
export function crc32c(bytes: Uint8Array, seed = 0, from = 0, to = bytes.length): number {
  let c = ~seed
  let i = from
  if (to - from >= wordsFrom) {
    const aligned = from + (-(bytes.byteOffset + from) & 3)
    c = ofBytes(bytes, c, from, aligned)
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, ((to - aligned) >> 4) << 2)
    c = ofWords(words, c)
    i = aligned + words.byteLength
  }
  return ~ofBytes(bytes, c, i, to) >>> 0
}

function ofBytes(b: Uint8Array, before: number, from: number, to: number): number {
  // A local name: in a bundle, those of a module are variables, which the engine reads and checks each time.
  const t = table
  let c = before
  let i = from
  for (const end = to - lanes; i <= end; i += lanes) {
    c ^= b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24)
    c =
      t[0xf00 | (c & 255)]! ^
      t[0xe00 | ((c >>> 8) & 255)]! ^
      t[0xd00 | ((c >>> 16) & 255)]! ^
      t[0xc00 | (c >>> 24)]! ^
      t[0xb00 | b[i + 4]!]! ^
      t[0xa00 | b[i + 5]!]! ^
      t[0x900 | b[i + 6]!]! ^
      t[0x800 | b[i + 7]!]! ^
      t[0x700 | b[i + 8]!]! ^
      t[0x600 | b[i + 9]!]! ^
      t[0x500 | b[i + 10]!]! ^
      t[0x400 | b[i + 11]!]! ^
      t[0x300 | b[i + 12]!]! ^
      t[0x200 | b[i + 13]!]! ^
      t[0x100 | b[i + 14]!]! ^
      t[b[i + 15]!]!
  }
  for (; i < to; i++) c = t[(c ^ b[i]!) & 255]! ^ (c >>> 8)
  return c
}

/** Of words in little-endian order, as all platforms of the runtimes have them. Half as much again as the bytes one by one. */
function ofWords(words: Int32Array, before: number): number {
  const t = table
  let c = before
  for (let i = 0; i < words.length; i += 4) {
    c ^= words[i]!
    const x = words[i + 1]!
    const y = words[i + 2]!
    const z = words[i + 3]!
    c =
      t[0xf00 | (c & 255)]! ^
      t[0xe00 | ((c >>> 8) & 255)]! ^
      t[0xd00 | ((c >>> 16) & 255)]! ^
      t[0xc00 | (c >>> 24)]! ^
      t[0xb00 | (x & 255)]! ^
      t[0xa00 | ((x >>> 8) & 255)]! ^
      t[0x900 | ((x >>> 16) & 255)]! ^
      t[0x800 | (x >>> 24)]! ^
      t[0x700 | (y & 255)]! ^
      t[0x600 | ((y >>> 8) & 255)]! ^
      t[0x500 | ((y >>> 16) & 255)]! ^
      t[0x400 | (y >>> 24)]! ^
      t[0x300 | (z & 255)]! ^
      t[0x200 | ((z >>> 8) & 255)]! ^
      t[0x100 | ((z >>> 16) & 255)]! ^
      t[z >>> 24]!
  }
  return c
}
