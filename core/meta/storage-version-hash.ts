import type { ResourceDefinition } from '../resources/definition.ts'

const encoder = new TextEncoder()

/**
 * Base64 of the first eight bytes of the SHA-256 of `group/version/Kind` as stored; equal hashes mean the same storage version.
 * Undefined for resources that are not stored. Results are cached.
 */
export function createStorageVersionHash(): (definition: ResourceDefinition) => Promise<string | undefined> {
  const known = new Map<string, Promise<string>>()
  return async ({ group, version, kind, storageKey, storageVersion }) => {
    if (storageKey === '') return undefined
    const stored = storageVersion ?? `${group}/${version}`
    const text = `${stored.includes('/') ? '' : '/'}${stored}/${kind}`
    const hash = known.get(text) ?? shortHash(text)
    known.set(text, hash)
    return hash
  }
}

async function shortHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return btoa(String.fromCharCode(...digest.subarray(0, 8)))
}
