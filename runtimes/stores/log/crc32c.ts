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

/**
 * CRC32C of the bytes in [`from`, `to`), continuing from `seed`. About 1.5 GB/s. The runtimes have only CRC32 built in.
 */
export function crc32c(bytes: Uint8Array, seed = 0, from = 0, to = bytes.length): number {
  const b = bytes
  let c = ~seed
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
  return ~c >>> 0
}
