/** Calls of a store, with what tests expect of them. */
import assert from 'node:assert/strict'
import { type KeyValueStore, StoreError } from '../../../core/ports.ts'
import { bytes } from './recorder.ts'

/** Declares a test with an empty store of its own. */
export type OnStore = (title: string, run: (store: KeyValueStore) => Promise<void>) => void

/** Puts a value, asserts success and returns the revision. */
export async function put(store: KeyValueStore, key: string, value: string, expected: number): Promise<number> {
  const result = await store.put(key, bytes(value), expected)
  assert(result.ok, `put ${key} expecting ${expected}: ${result.ok || result.current?.modRevision}`)
  return result.revision
}

/** Whether an error has this code and, if given, this revision. */
export function storeError(code: StoreError['code'], revision?: number): (error: unknown) => boolean {
  return (error) => error instanceof StoreError && error.code === code && (revision === undefined || error.revision === revision)
}
