/** A key's id as it may be shown: `sha256:` and the hash in hexadecimal; empty for an empty one. */
export async function hashed(keyId: string): Promise<string> {
  if (keyId === '') return ''
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(keyId)))
  return `sha256:${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
