const idBytes = 16
/** Number of ids whose random bytes are generated at a time. */
const batch = 128
/** Byte positions preceded by a hyphen. */
const hyphens = new Set([4, 6, 8, 10])
const textLength = 2 * idBytes + hyphens.size
const hyphen = 0x2d
const digits = new TextEncoder().encode('0123456789abcdef')
const decoder = new TextDecoder()

/** Generates random UUIDs (RFC 9562, version 4) at about a fifth of the cost of `crypto.randomUUID`. */
export function createIds(): () => string {
  let texts = ''
  let at = 0

  function more(): void {
    const random = crypto.getRandomValues(new Uint8Array(batch * idBytes))
    const written = new Uint8Array(batch * textLength)
    let to = 0
    for (const [index, byte] of random.entries()) {
      const place = index % idBytes
      const stamped = place === 6 ? (byte & 0x0f) | 0x40 : place === 8 ? (byte & 0x3f) | 0x80 : byte
      if (hyphens.has(place)) written[to++] = hyphen
      written[to++] = digits[stamped >> 4] as number
      written[to++] = digits[stamped & 0x0f] as number
    }
    texts = decoder.decode(written)
    at = 0
  }

  return () => {
    if (at === texts.length) more()
    at += textLength
    return texts.slice(at - textLength, at)
  }
}
