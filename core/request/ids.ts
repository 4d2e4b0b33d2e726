const idBytes = 16
/** Random bytes that are generated at a time: a call takes as long for 2 kB as for 16. */
const randomBytes = 16_384
/** Number of ids in one text: an id keeps the text in memory that it is a part of. */
const batch = 128
/** Ends of parts in bytes, at which hyphens are inserted. */
const partEnds = [4, 6, 8, 10, idBytes]
const textLength = 2 * idBytes + partEnds.length - 1
const hyphen = 0x2d
const digits = new TextEncoder().encode('0123456789abcdef')
const decoder = new TextDecoder()

/** Generates random UUIDs (RFC 9562, version 4) at less cost than `crypto.randomUUID`. */
export function createIds(): () => string {
  const all = new Uint8Array(randomBytes)
  let used = randomBytes
  let texts = ''
  let at = 0

  function random(): Uint8Array {
    if (used === randomBytes) {
      crypto.getRandomValues(all)
      used = 0
    }
    used += batch * idBytes
    return all.subarray(used - batch * idBytes, used)
  }

  function more(): void {
    const bytes = random()
    const written = new Uint8Array(batch * textLength).fill(hyphen)
    let to = 0
    for (let id = 0; id < bytes.length; id += idBytes) {
      bytes[id + 6] = ((bytes[id + 6] as number) & 0x0f) | 0x40
      bytes[id + 8] = ((bytes[id + 8] as number) & 0x3f) | 0x80
      let at = id
      for (const end of partEnds) {
        for (; at < id + end; at++) {
          const byte = bytes[at] as number
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
