/** The Castagnoli polynomial, bits reversed (RFC 3720, appendix B.4). */
const polynomial = 0x82f63b78
const lanes = 16

/** `tables[n][byte]`: the checksum of a byte followed by n zero bytes, for processing sixteen bytes per step. */
const tables = makeTables()

function makeTables(): readonly Int32Array[] {
  const made = Array.from({ length: lanes }, () => new Int32Array(256))
  const first = made[0]!
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
    first[byte] = value
  }
  for (let lane = 1; lane < lanes; lane++) {
    const before = made[lane - 1]!
    for (let byte = 0; byte < 256; byte++) made[lane]![byte] = (before[byte]! >>> 8) ^ first[before[byte]! & 255]!
  }
  return made
}

const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
]
const [t8, t9, t10, t11, t12, t13, t14, t15] = tables.slice(8) as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
]

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
  let c = before
  let i = from
  for (const end = to - lanes; i <= end; i += lanes) {
    c ^= b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24)
    c =
      t15[c & 255]! ^
      t14[(c >>> 8) & 255]! ^
      t13[(c >>> 16) & 255]! ^
      t12[c >>> 24]! ^
      t11[b[i + 4]!]! ^
      t10[b[i + 5]!]! ^
      t9[b[i + 6]!]! ^
      t8[b[i + 7]!]! ^
      t7[b[i + 8]!]! ^
      t6[b[i + 9]!]! ^
      t5[b[i + 10]!]! ^
      t4[b[i + 11]!]! ^
      t3[b[i + 12]!]! ^
      t2[b[i + 13]!]! ^
      t1[b[i + 14]!]! ^
      t0[b[i + 15]!]!
  }
  for (; i < to; i++) c = t0[(c ^ b[i]!) & 255]! ^ (c >>> 8)
  return c
}

/** Of words in little-endian order, as all platforms of the runtimes have them. Half as much again as the bytes one by one. */
function ofWords(words: Int32Array, before: number): number {
  let c = before
  for (let i = 0; i < words.length; i += 4) {
    c ^= words[i]!
    const x = words[i + 1]!
    const y = words[i + 2]!
    const z = words[i + 3]!
    c =
      t15[c & 255]! ^
      t14[(c >>> 8) & 255]! ^
      t13[(c >>> 16) & 255]! ^
      t12[c >>> 24]! ^
      t11[x & 255]! ^
      t10[(x >>> 8) & 255]! ^
      t9[(x >>> 16) & 255]! ^
      t8[x >>> 24]! ^
      t7[y & 255]! ^
      t6[(y >>> 8) & 255]! ^
      t5[(y >>> 16) & 255]! ^
      t4[y >>> 24]! ^
      t3[z & 255]! ^
      t2[(z >>> 8) & 255]! ^
      t1[(z >>> 16) & 255]! ^
      t0[z >>> 24]!
  }
  return c
}
