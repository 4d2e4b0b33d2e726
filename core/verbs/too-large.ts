/** Managed fields can make an object too large for the store; it is then written again without them. */
import { StoreError } from '../ports.ts'
import type { Recorder } from './ownership.ts'

/** Drops all managed fields. */
export const dropManagedFields: Recorder = ({ metadata }) => {
  delete metadata.managedFields
  return false
}

/** Runs `write`; if the object is too large for the store, runs `again`. */
export function ifTooLarge<T>(write: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  return write().catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'too-large') return again()
    throw error
  })
}
