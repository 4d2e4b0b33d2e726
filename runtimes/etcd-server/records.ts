/** How etcd stores versions of keys (server/storage/mvcc/revision.go, kvstore_txn.go): a key per revision, and a KeyValue. */
import type { Kept } from '../stores/history.ts'
import { encode } from './encoding.ts'
import { keyValue } from './messages.ts'

/** Bytes of `revision _ number in the revision`, and of those of a deletion. */
const revisionBytes = 17
const tombstone = 't'.charCodeAt(0)

/** The key of a version, in the order of revisions. */
export function recordKey({ revision, sub, state }: Kept): Buffer {
  const key = Buffer.alloc(state === undefined ? revisionBytes + 1 : revisionBytes)
  key.writeBigUInt64BE(BigInt(revision), 0)
  key.write('_', 8)
  key.writeBigUInt64BE(BigInt(sub), 9)
  if (state === undefined) key[revisionBytes] = tombstone
  return key
}

export const recordValue = ({ key, state }: Kept): Uint8Array =>
  encode(keyValue, state ?? { key }, 64 + key.length + (state?.value.length ?? 0))
