/** A stored value for tests of transformers. */
import assert from 'node:assert/strict'
import type { Plain } from '../../../core/encryption/transformer.ts'

export const bytes = (text: string) => new TextEncoder().encode(text)
export const path = bytes('/registry/secrets/default/x')
export const plain = bytes('{"kind":"Secret"}')

/** Asserts that the plain text was read and is stale or not. */
export function isRead({ bytes, isStale }: Plain, stale: boolean): void {
  assert.deepEqual(new Uint8Array(bytes), plain)
  assert.equal(isStale(), stale, stale ? 'it is stale' : 'it is not stale')
}
