import { crc32 } from 'node:zlib'
import type { Change } from './history.ts'
import type { Lease } from './leases.ts'

// A record is `crc32 | body`; the checksum also covers the record's key, so that a misplaced record counts as damaged.
// Body of a change: kind (0 delete, 1 put, 2 put with its version) | create revision | lease | length of the key | key | value, where a version is
// before the length of the key. Numbers are big-endian. A character of a key is a byte.
const headerBytes = 4 + 1 + 8 + 8 + 4
const versionBytes = 8
const kinds = { delete: 0, put: 1, versioned: 2 } as const

/** The key of a revision's record: 8 bytes, in the order of the numbers. */
export function revisionKey(revision: number): Buffer {
  const key = Buffer.allocUnsafe(8)
  writeNumber(key, revision, 0)
  return key
}

function keyRevision(key: Uint8Array): number {
  return readNumber(Buffer.from(key.buffer, key.byteOffset, key.byteLength), 0)
}

export function encodeChange(recordKey: Uint8Array, change: Change): Buffer {
  const { key, value, version } = change
  const isVersioned = value !== undefined && version !== undefined
  const keyStart = headerBytes + (isVersioned ? versionBytes : 0)
  const record = Buffer.allocUnsafe(keyStart + key.length + (value?.byteLength ?? 0))
  record[4] = isVersioned ? kinds.versioned : value ? kinds.put : kinds.delete
  writeNumber(record, change.createRevision, 5)
  record.writeBigUInt64BE(change.lease, 13)
  if (isVersioned) writeNumber(record, version, 21)
  record.writeUInt32BE(key.length, keyStart - 4)
  record.write(key, keyStart, 'latin1')
  if (value) record.set(value, keyStart + key.length)
  return seal(recordKey, record)
}

/** Decodes a record and copies its value; undefined when the record is damaged. */
export function decodeChange(recordKey: Uint8Array, record: Buffer): Change | undefined {
  if (recordKey.byteLength !== 8 || record.byteLength < headerBytes || !intact(recordKey, record)) return undefined
  const isVersioned = record[4] === kinds.versioned
  const keyStart = headerBytes + (isVersioned ? versionBytes : 0)
  if (record.byteLength < keyStart) return undefined
  const keyEnd = keyStart + record.readUInt32BE(keyStart - 4)
  return {
    key: record.toString('latin1', keyStart, keyEnd),
    revision: keyRevision(recordKey),
    createRevision: readNumber(record, 5),
    lease: record.readBigUInt64BE(13),
    ...(isVersioned && { version: readNumber(record, 21) }),
    ...(record[4] !== kinds.delete && { value: new Uint8Array(record.subarray(keyEnd)) }),
  }
}

export function leaseKey(id: bigint): Buffer {
  const key = Buffer.allocUnsafe(8)
  key.writeBigUInt64BE(id)
  return key
}

export function encodeLease(recordKey: Uint8Array, lease: Lease): Buffer {
  const { expires, seconds } = lease
  const record = Buffer.allocUnsafe(seconds === undefined ? 4 + 8 : 4 + 8 + 8)
  writeNumber(record, expires, 4)
  if (seconds !== undefined) writeNumber(record, seconds, 12)
  return seal(recordKey, record)
}

export function decodeLease(recordKey: Uint8Array, record: Buffer): Lease | undefined {
  if (recordKey.byteLength !== 8 || ![12, 20].includes(record.byteLength) || !intact(recordKey, record)) return undefined
  const lease = { id: Buffer.from(recordKey).readBigUInt64BE(), expires: readNumber(record, 4) }
  return record.byteLength === 20 ? { ...lease, seconds: readNumber(record, 12) } : lease
}

/** Start of the history. */
export interface Base {
  /** The oldest revision that can be read. */
  readonly oldest: number
  /** Number of records with revisions up to `oldest`. */
  readonly kept: number
}

export function encodeBase(recordKey: Uint8Array, base: Base): Buffer {
  const record = Buffer.allocUnsafe(4 + 1 + 8 + 8)
  record[4] = format
  writeNumber(record, base.oldest, 5)
  writeNumber(record, base.kept, 13)
  return seal(recordKey, record)
}

export function decodeBase(recordKey: Uint8Array, record: Buffer): Base | undefined {
  if (record.byteLength !== 21 || record[4] !== format || !intact(recordKey, record)) return undefined
  return { oldest: readNumber(record, 5), kept: readNumber(record, 13) }
}

const format = 1

function seal(recordKey: Uint8Array, record: Buffer): Buffer {
  record.writeUInt32BE(crc32(record.subarray(4), crc32(recordKey)), 0)
  return record
}

function intact(recordKey: Uint8Array, record: Buffer): boolean {
  return record.readUInt32BE(0) === crc32(record.subarray(4), crc32(recordKey))
}

function writeNumber(buffer: Buffer, value: number, at: number): void {
  buffer.writeUInt32BE(Math.floor(value / 2 ** 32), at)
  buffer.writeUInt32BE(value >>> 0, at + 4)
}

function readNumber(buffer: Buffer, at: number): number {
  return buffer.readUInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4)
}
