/**
 * SHA-256 of a text, in hexadecimal. Tables of secrets are keyed by it, so that the time of a look-up reveals nothing about
 * the secrets.
 */
export const digestOf = (text: string): Promise<string> => digestOfBytes(new TextEncoder().encode(text))

/** SHA-256 in hexadecimal. */
export async function digestOfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  let text = ''
  for (const byte of new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))) text += byte.toString(16).padStart(2, '0')
  return text
}

/** Hash of a text for labels of metrics and the log; empty for an empty text. */
export const hashOf = async (text: string): Promise<string> => (text === '' ? '' : `sha256:${await digestOf(text)}`)
