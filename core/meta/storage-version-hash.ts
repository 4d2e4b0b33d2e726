const encoder = new TextEncoder()

/**
 * Base64 of the first eight bytes of the SHA-256 of group version and kind as stored (`PublishedResource.stored`); equal hashes mean the
 * same storage version. Undefined for resources that are not stored. Results are cached.
 */
export function createStorageVersionHash(): (stored: string | undefined) => Promise<string | undefined> {
  const known = new Map<string, Promise<string>>()
  return async (stored) => {
    if (stored === undefined) return undefined
    const hash = known.get(stored) ?? shortHash(stored)
    known.set(stored, hash)
    return hash
  }
}

async function shortHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return btoa(String.fromCharCode(...digest.subarray(0, 8)))
}
