/** SHA-256 (FIPS 180-4) of a short text, without waiting: the Web's own digest is asynchronous. */

/** The first 32 bits of the fractional part of `root` of the first primes. */
function constants(count: number, root: (prime: number) => number): Uint32Array {
  const found = new Uint32Array(count)
  for (let candidate = 2, filled = 0; filled < count; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false
    if (isPrime) found[filled++] = (root(candidate) % 1) * 2 ** 32
  }
  return found
}

const rounds = constants(64, Math.cbrt)
const initial = constants(8, Math.sqrt)
const blockBytes = 64
const encoder = new TextEncoder()

/** The message with its padding. */
function padded(text: string): DataView {
  const message = encoder.encode(text)
  const length = Math.ceil((message.length + 9) / blockBytes) * blockBytes
  const bytes = new Uint8Array(length)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setBigUint64(length - 8, BigInt(message.length) * 8n)
  return view
}

const rotate = (value: number, by: number) => (value >>> by) | (value << (32 - by))

/** The digest, as eight words. */
export function sha256(text: string): Uint32Array {
  const hash = initial.slice()
  const words = new Uint32Array(64)
  const message = padded(text)
  for (let block = 0; block < message.byteLength; block += blockBytes) {
    for (let index = 0; index < 16; index++) words[index] = message.getUint32(block + index * 4)
    for (let index = 16; index < 64; index++) {
      const [early, late] = [words[index - 15]!, words[index - 2]!]
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      words[index] = words[index - 16]! + first + words[index - 7]! + second
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number]
    for (let index = 0; index < 64; index++) {
      const first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + rounds[index]! + words[index]!
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    const sums = [a, b, c, d, e, f, g, h]
    for (let index = 0; index < 8; index++) hash[index] = hash[index]! + sums[index]!
  }
  return hash
}
