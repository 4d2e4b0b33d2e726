import type { KeyValue } from '../ports.ts'
import { sameBytes } from '../schema/bytes.ts'
import type { Transformer } from './transformer.ts'

/** Maximum bytes of stored values whose decrypted form is cached. */
const maxBytes = 8 * 1024 * 1024

interface Kept {
  readonly stored: Uint8Array
  readonly transformer: Transformer
  readonly opened: Promise<KeyValue>
}

/** Decrypts a stored value; never rejects. */
export type Decrypt = (kv: KeyValue, transformer: Transformer) => Promise<KeyValue>

/**
 * Decrypts each version of a key once while it is cached: several watches need it, and again as the previous value of the next change.
 * Evicts the oldest first, and values that are not `worthKeeping` once decrypted.
 */
export function sharedDecryption(decrypt: Decrypt, worthKeeping: (opened: KeyValue) => boolean): Decrypt {
  const kept = new Map<string, Kept>()
  let bytes = 0

  function forget(id: string, { stored }: Kept): void {
    kept.delete(id)
    bytes -= stored.length
  }

  function keep(id: string, fresh: Kept): void {
    const before = kept.get(id)
    if (before) forget(id, before)
    kept.set(id, fresh)
    bytes += fresh.stored.length
    for (const [oldest, each] of kept) {
      if (bytes <= maxBytes) return
      forget(oldest, each)
    }
  }

  return (kv, transformer) => {
    const id = `${kv.modRevision} ${kv.key}`
    const known = kept.get(id)
    // Compare the bytes: a store restored from a backup reuses revisions.
    if (known && known.transformer === transformer && sameBytes(known.stored, kv.value)) return known.opened
    const opened = decrypt(kv, transformer)
    const fresh = { stored: kv.value, transformer, opened }
    keep(id, fresh)
    void opened.then((value) => {
      if (!worthKeeping(value) && kept.get(id) === fresh) forget(id, fresh)
    })
    return opened
  }
}
