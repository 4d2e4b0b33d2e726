/** How etcd stores versions of keys (server/storage/mvcc/revision.go, kvstore_txn.go): a key per revision, and a KeyValue. */
import type { Kept } from '../stores/history.ts'
import { encode } from './message.ts'
import { keyValue } from './messages.ts'

/** Bytes of `revision _ number in the revision`, and of those of a deletion. */
const revisionBytes = 17
const tombstone = Buffer.from('t')

/** A revision, and a number in it, in the order of both. */
export function revisionKey(revision: number, sub: number): Buffer {
  const key = Buffer.alloc(revisionBytes)
  key.writeBigUInt64BE(BigInt(revision), 0)
  key.write('_', 8)
  key.writeBigUInt64BE(BigInt(sub), 9)
  return key
}

/** The key of a version. */
export function recordKey({ revision, sub, state }: Kept): Buffer {
  const key = revisionKey(revision, sub)
  return state === undefined ? Buffer.concat([key, tombstone]) : key
}

/** What the key of a version says. */
export function revisionOf(key: Buffer): { readonly main: number; readonly isDeleted: boolean } {
  if (key.length < revisionBytes) throw new Error('is damaged or truncated')
  return { main: Number(key.readBigUInt64BE(0)), isDeleted: key.length > revisionBytes }
}

export const recordValue = ({ key, state }: Kept): Uint8Array =>
  encode(keyValue, state ?? { key }, 64 + key.length + (state?.value.length ?? 0))
