/**
 * SHA-256 of a text, in hexadecimal. Tables of secrets are keyed by it: how long a look-up takes then says nothing about how
 * much of a guess was right.
 */
export const digestOf = (text: string): Promise<string> => digestOfBytes(new TextEncoder().encode(text))

/** SHA-256 in hexadecimal. */
export async function digestOfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  let text = ''
  for (const byte of new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))) text += byte.toString(16).padStart(2, '0')
  return text
}

/** A text as labels of metrics and lines of the log may show it: its SHA-256; empty for an empty text. */
export const hashOf = async (text: string): Promise<string> => (text === '' ? '' : `sha256:${await digestOf(text)}`)
