/** U+FFFD in UTF-8. */
const replacement = [0xef, 0xbf, 0xbd]

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, keeping a byte order mark; undefined for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const encoder = new TextEncoder()

/**
 * Encodes a text in UTF-8; lone surrogates become U+FFFD. The result has a buffer of its own size. Most texts are ASCII and fit an array of their
 * length: on Node, an array that the encoder makes takes several times as long.
 */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  const { read, written } = encoder.encodeInto(text, bytes)
  return read === text.length && written === text.length ? bytes : encoder.encode(text)
}

const continues = (byte: number | undefined, min = 0x80, max = 0xbf) => byte !== undefined && byte >= min && byte <= max

/** Length of the character at a position (Unicode 16, table 3-7); 0: invalid. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const min = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const max = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (!continues(bytes[at + 1], min, max)) return 0
  if (lead < 0xe0) return 2
  if (!continues(bytes[at + 2])) return 0
  if (lead < 0xf0) return 3
  return continues(bytes[at + 3]) ? 4 : 0
}

/** As `decodeUtf8`; each invalid byte becomes U+FFFD, as in Go (a TextDecoder replaces several by one). */
export function repairUtf8(bytes: Uint8Array): string {
  const repaired = new Uint8Array(bytes.length * replacement.length)
  let end = 0
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    if (length === 0) {
      repaired.set(replacement, end)
      end += replacement.length
      at++
    }
    for (let left = length; left > 0; left--) repaired[end++] = bytes[at++] as number
  }
  return decoder.decode(repaired.subarray(0, end))
}
