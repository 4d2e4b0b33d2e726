import { isEncrypted, readsEncrypted } from './encrypted-value.ts'
import { neverStale, TransformError, type Transformer } from './transformer.ts'

/** Stores values unencrypted, and fails on encrypted ones. */
export const identity: Transformer = {
  async fromStored(stored) {
    if (isEncrypted(stored)) throw new TransformError(readsEncrypted)
    return { bytes: stored, isStale: neverStale }
  },
  toStored: async (plain) => plain,
}
