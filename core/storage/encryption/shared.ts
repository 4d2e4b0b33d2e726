import type { KeyValue } from '../../ports.ts'
import { sameBytes } from '../../schema/bytes.ts'
import type { Transformer } from './transformer.ts'

/** Bytes of stored values that are remembered decrypted, at most. */
const mostBytes = 8 * 1024 * 1024

interface Kept {
  readonly stored: Uint8Array
  readonly transformer: Transformer
  readonly opened: Promise<KeyValue>
}

/** Decrypts what is stored; never rejects. */
export type Decrypt = (kv: KeyValue, transformer: Transformer) => Promise<KeyValue>

/**
 * Decrypts each version of a key once for all who ask for it while it is remembered: several watches, and those that get it again as the
 * value before a change. The oldest ones are forgotten first, and what is not `worthKeeping` once it is known.
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
      if (bytes <= mostBytes) return
      forget(oldest, each)
    }
  }

  return (kv, transformer) => {
    const id = `${kv.modRevision} ${kv.key}`
    const known = kept.get(id)
    // A store that went back to a backup gives revisions again.
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
