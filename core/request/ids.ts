const idBytes = 16
/** Number of ids whose random bytes are generated at a time. */
const batch = 128
/** Ends of parts in bytes, at which hyphens are inserted. */
const partEnds = [4, 6, 8, 10, idBytes]
const textLength = 2 * idBytes + partEnds.length - 1
const hyphen = 0x2d
const digits = new TextEncoder().encode('0123456789abcdef')
const decoder = new TextDecoder()

/** Generates random UUIDs (RFC 9562, version 4) at about a fifth of the cost of `crypto.randomUUID`. */
export function createIds(): () => string {
  let texts = ''
  let at = 0

  function more(): void {
    const random = crypto.getRandomValues(new Uint8Array(batch * idBytes))
    const written = new Uint8Array(batch * textLength).fill(hyphen)
    let to = 0
    for (let id = 0; id < random.length; id += idBytes) {
      random[id + 6] = ((random[id + 6] as number) & 0x0f) | 0x40
      random[id + 8] = ((random[id + 8] as number) & 0x3f) | 0x80
      let at = id
      for (const end of partEnds) {
        for (; at < id + end; at++) {
          const byte = random[at] as number
          written[to++] = digits[byte >> 4] as number
          written[to++] = digits[byte & 0x0f] as number
        }
        to++
      }
      to--
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
