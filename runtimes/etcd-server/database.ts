/** The database of etcd 3.5 as a file: its buckets (server/mvcc/buckets, server/lease), with a checksum at its end when it is a snapshot. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs'
import type { Change, Kept } from '../stores/history.ts'
import type { State } from '../stores/log/create.ts'
import type { Saved } from '../stores/snapshot.ts'
import { BboltReader, type ReadAt } from './bbolt/read.ts'
import { bboltPages, type Entry } from './bbolt/write.ts'
import { int, int64 } from './fields.ts'
import { decode, encode, message } from './message.ts'
import { keyValue } from './messages.ts'
import { recordKey, recordValue, revisionKey, revisionOf } from './records.ts'

export interface Database {
  readonly revision: number
  /** The last compacted revision. */
  readonly compacted: number
  /** In the order of their writes. */
  readonly versions: Iterable<Kept>
  readonly leases: readonly { readonly id: bigint; readonly seconds: number }[]
}

/** Bytes of the SHA-256 at the end of a snapshot, which makes its length differ from one of pages. */
const digestBytes = 32
const sector = 512

const leaseRecord = message('Lease', { id: int64(1), ttl: int(2) })

const numberBytes = (number: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, number))
  return bytes
}

/** The pages of the file, without the checksum of a snapshot. */
export function databasePages({ revision, compacted, versions, leases }: Database): Promise<readonly Buffer[]> {
  function* keys(): Generator<Entry> {
    for (const version of versions) yield { key: recordKey(version), value: recordValue(version) }
  }
  const compactions = compacted > 0 ? ['finishedCompactRev', 'scheduledCompactRev'] : []
  const meta = [
    { key: Buffer.from('confState'), value: Buffer.from('{"voters":[],"auto_leave":false}') },
    { key: Buffer.from('consistent_index'), value: numberBytes(BigInt(revision)) },
    ...compactions.map((name) => ({ key: Buffer.from(name), value: revisionKey(compacted, 0) })),
    { key: Buffer.from('term'), value: numberBytes(1n) },
  ]
  const sorted = leases.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const lease = sorted.map(({ id, seconds }) => ({ key: numberBytes(id), value: encode(leaseRecord, { id, ttl: seconds }) }))
  const empty = ['alarm', 'auth', 'authRoles', 'authUsers', 'cluster', 'members', 'members_removed']
  return bboltPages([
    { name: 'key', entries: keys() },
    { name: 'lease', entries: lease },
    { name: 'meta', entries: meta },
    ...empty.map((name) => ({ name, entries: [] })),
  ])
}

/** Whether a file is a snapshot of etcd: a database with a checksum. */
export const isSnapshot = (file: string): boolean =>
  opened(file, (descriptor) => {
    const { size } = fstatSync(descriptor)
    return size % sector === digestBytes && isDatabase(readerOf(descriptor, size - digestBytes))
  })

function opened<T>(file: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(file, 'r')
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Writes a new file, which is a snapshot of etcd, and syncs it. `now`: milliseconds since the epoch. */
export async function writeSnapshot({ revision, leases, changes }: Saved, file: string, now: number): Promise<void> {
  const versions = changes.map(({ key, revision, createRevision, version = 1, lease, value }, index): Kept => {
    let sub = 0
    while (changes[index - 1 - sub]?.revision === revision) sub++
    return { key, revision, sub, ...(value && { state: { key, value, createRevision, modRevision: revision, version, lease } }) }
  })
  const granted = [...leases.values()].map(({ id, expires, seconds }) => ({
    id,
    seconds: seconds ?? Math.max(1, Math.ceil((expires - now) / 1000)),
  }))
  const pages = await databasePages({ revision, compacted: revision, versions, leases: granted })
  const hash = createHash('sha256')
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    for (const page of pages) {
      hash.update(page)
      writeFileSync(descriptor, page)
    }
    writeFileSync(descriptor, hash.digest())
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const isDatabase = (read: ReadAt) => {
  try {
    return new BboltReader(read) !== undefined
  } catch {
    return false
  }
}

const readerOf =
  (descriptor: number, end: number): ReadAt =>
  (position, length) => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, end - position)))
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, position))
  }

/** The current values of a snapshot. @throws Error when it is damaged. */
export const readSnapshot = (file: string): State => opened(file, readState)

function readState(descriptor: number): State {
  const end = fstatSync(descriptor).size - digestBytes
  checkDigest(descriptor, end)
  const reader = new BboltReader(readerOf(descriptor, end))
  const current = new Map<string, Change>()
  let revision = 1
  for (const { key, value } of reader.bucket('key')) {
    const { main, isDeleted } = revisionOf(key)
    revision = Math.max(revision, main)
    const { key: name, createRevision, version, lease, value: content } = decode(keyValue, value)
    if (isDeleted) current.delete(name)
    else current.set(name, { key: name, revision: main, createRevision, version, lease, value: content })
  }
  for (const { key, value } of reader.bucket('meta'))
    if (key.toString() === 'finishedCompactRev') revision = Math.max(revision, revisionOf(value).main)
  const leases = [...reader.bucket('lease')].map(({ value }) => {
    const { id, ttl } = decode(leaseRecord, value)
    return { id, expires: 0, seconds: ttl }
  })
  const changes = [...current.values()].sort((a, b) => a.revision - b.revision)
  return { revision, leases, changes, count: changes.length }
}

const chunkBytes = 1024 * 1024

function checkDigest(descriptor: number, end: number): void {
  const hash = createHash('sha256')
  const read = readerOf(descriptor, end + digestBytes)
  for (let at = 0; at < end; at += chunkBytes) hash.update(read(at, Math.min(chunkBytes, end - at)))
  if (!hash.digest().equals(read(end, digestBytes))) throw new Error('is damaged or truncated')
}
