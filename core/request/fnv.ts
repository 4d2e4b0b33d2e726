/** A number of 64 bits, in halves: BigInt would take most of the time. */
export interface Hash {
  readonly high: number
  readonly low: number
}

/** The prime 2^40 + 0x1b3. */
const prime = 0x1b3
const shift = 256
const half = 2 ** 32
const offset: Hash = { high: 0xcbf29ce4, low: 0x84222325 }

const encoder = new TextEncoder()

/** FNV-1a of 64 bits (draft-eastlake-fnv) of the text in UTF-8. */
export function fnv1a(text: string): Hash {
  let { high, low } = offset
  for (const byte of encoder.encode(text)) {
    low = (low ^ byte) >>> 0
    const product = low * prime
    high = (high * prime + Math.floor(product / half) + low * shift) % half
    low = product % half
  }
  return { high, low }
}

export const isBelow = (one: Hash, other: Hash): boolean => one.high < other.high || (one.high === other.high && one.low < other.low)
