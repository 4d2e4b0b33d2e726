/**
 * Entries of the log. Each is one record: `length | CRC32C | content`; the checksum covers length and content. Numbers are little-endian.
 * Content: kind, then for a change `revision | create revision | lease | length of key | key | value`, where a base has the version before the
 * length of the key, for the others their numbers. Changes of one revision are a transaction, and in one batch.
 */
import type { Change } from '../history.ts'
import type { Lease } from '../leases.ts'
import { crc32c } from './crc32c.ts'

export type Entry =
  | { readonly change: Change }
  | { readonly lease: Lease }
  /** An expired lease, whose keys were deleted before. */
  | { readonly ended: bigint }
  /** Compaction: the oldest readable revision. */
  | { readonly compacted: number }

const kinds = { delete: 0, put: 1, lease: 2, ended: 3, compacted: 4, versioned: 5, granted: 6 } as const

/**
 * How keys are stored as bytes: as text in UTF-8, or, for owners whose keys are any bytes, as texts with a character for each byte. Both read
 * and write the same files.
 */
export type KeyEncoding = 'utf8' | 'latin1'
/** Bytes before the content. */
export const recordHeader = 8
const changeHeader = 1 + 8 + 8 + 8 + 4

export function encodeEntry(entry: Entry, keys: KeyEncoding): Buffer {
  if ('change' in entry) return encodeChange(entry.change, keys)
  if ('lease' in entry) return encodeLease(entry.lease)
  if ('ended' in entry) return sealed(kinds.ended, entry.ended)
  return sealed(kinds.compacted, BigInt(entry.compacted))
}

function encodeLease({ id, expires, seconds }: Lease): Buffer {
  return seconds === undefined ? sealed(kinds.lease, id, BigInt(expires)) : sealed(kinds.granted, id, BigInt(expires), BigInt(seconds))
}

function encodeChange({ key, revision, createRevision, version, value, lease }: Change, keys: KeyEncoding): Buffer {
  const keyLength = Buffer.byteLength(key, keys)
  const isVersioned = value !== undefined && version !== undefined
  const header = isVersioned ? changeHeader + 8 : changeHeader
  const record = Buffer.allocUnsafe(recordHeader + header + keyLength + (value?.byteLength ?? 0))
  let at = record.writeUInt8(isVersioned ? kinds.versioned : value ? kinds.put : kinds.delete, recordHeader)
  at = writeNumber(record, revision, at)
  at = writeNumber(record, createRevision, at)
  at = record.writeBigInt64LE(lease, at)
  if (isVersioned) at = writeNumber(record, version, at)
  at = record.writeUInt32LE(keyLength, at)
  at += record.write(key, at, keys)
  if (value) record.set(value, at)
  return seal(record)
}

function sealed(kind: number, ...numbers: readonly bigint[]): Buffer {
  const record = Buffer.allocUnsafe(recordHeader + 1 + 8 * numbers.length)
  let at = record.writeUInt8(kind, recordHeader)
  for (const number of numbers) at = record.writeBigInt64LE(number, at)
  return seal(record)
}

function seal(record: Buffer): Buffer {
  record.writeUInt32LE(record.length - recordHeader, 0)
  record.writeUInt32LE(checksum(record, 0, record.length), 4)
  return record
}

/** Length of the record at this offset, header included; undefined when it does not verify or exceeds the buffer. */
export function verifyRecord(bytes: Buffer, at: number): number | undefined {
  if (at + recordHeader > bytes.length) return undefined
  const end = at + recordHeader + bytes.readUInt32LE(at)
  if (end > bytes.length) return undefined
  return checksum(bytes, at, end) === bytes.readUInt32LE(at + 4) ? end - at : undefined
}

const checksum = (bytes: Buffer, at: number, end: number) => crc32c(bytes, crc32c(bytes, 0, at, at + 4), at + recordHeader, end)

const ownCopy = (bytes: Uint8Array) => new Uint8Array(bytes)

/** Decodes a verified record and copies its value; undefined for an unknown kind. */
export function decodeEntry(record: Buffer, keys: KeyEncoding, copy: (bytes: Uint8Array) => Uint8Array = ownCopy): Entry | undefined {
  const kind = record[recordHeader]
  if (kind === kinds.put) return { change: decodeChange(record, keys, false, copy) }
  if (kind === kinds.versioned) return { change: decodeChange(record, keys, true, copy) }
  if (kind === kinds.delete) return { change: decodeChange(record, keys, false) }
  const number = (index: number) => record.readBigInt64LE(recordHeader + 1 + 8 * index)
  if (kind === kinds.lease) return { lease: { id: number(0), expires: Number(number(1)) } }
  if (kind === kinds.granted) return { lease: { id: number(0), expires: Number(number(1)), seconds: Number(number(2)) } }
  if (kind === kinds.ended) return { ended: number(0) }
  if (kind === kinds.compacted) return { compacted: Number(number(0)) }
  return undefined
}

function decodeChange(record: Buffer, keys: KeyEncoding, isVersioned: boolean, copy?: (bytes: Uint8Array) => Uint8Array): Change {
  const content = recordHeader + 1
  const keyAt = recordHeader + changeHeader + (isVersioned ? 8 : 0)
  const keyEnd = keyAt + record.readUInt32LE(keyAt - 4)
  const key = record.toString(keys, keyAt, keyEnd)
  const [revision, createRevision, lease] = [readNumber(record, content), readNumber(record, content + 8), readLease(record, content + 16)]
  if (copy === undefined) return { key, revision, createRevision, lease }
  const value = copy(record.subarray(keyEnd))
  return isVersioned
    ? { key, revision, createRevision, version: readNumber(record, content + 24), lease, value }
    : { key, revision, createRevision, lease, value }
}

/** Lease id; 0, the usual one, without a BigInt allocation. */
const readLease = (record: Buffer, at: number) =>
  record.readUInt32LE(at) === 0 && record.readUInt32LE(at + 4) === 0 ? 0n : record.readBigInt64LE(at)

/** Writes a safe integer in 8 bytes. Returns the offset after it. */
export function writeNumber(buffer: Buffer, value: number, at: number): number {
  buffer.writeUInt32LE(value >>> 0, at)
  return buffer.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4)
}

/** Reads small numbers without floating point: V8 would allocate a heap number for each. */
export function readNumber(buffer: Buffer, at: number): number {
  const low = buffer.readUInt32LE(at)
  const high = buffer.readUInt32LE(at + 4)
  return high === 0 ? low : low + high * 2 ** 32
}
