/** A hash over all versions of keys, the same as that of an etcd with the same history (server/storage/mvcc/hash.go). */
import type { History } from '../stores/history.ts'
import { crc32c } from '../stores/log/crc32c.ts'
import { recordKey, recordValue } from './records.ts'

/** Over the versions up to a revision. `compacted`: the last compacted revision. */
export function hashKv(history: History, compacted: number, revision: number): number {
  let hash = crc32c(Buffer.from('key'))
  for (const kept of history.kept()) {
    if (kept.revision > revision) break
    // Of what is compacted, only what is current at the revision.
    if (kept.revision <= compacted && history.state(kept.key, revision)?.modRevision !== kept.revision) continue
    hash = crc32c(recordKey(kept), hash)
    hash = crc32c(recordValue(kept), hash)
  }
  return hash
}
