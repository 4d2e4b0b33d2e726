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

/** Bytes of the record of an entry. */
export function recordBytes(entry: Entry, keys: KeyEncoding): number {
  if ('change' in entry) return changeBytes(entry.change, keys)
  const [, ...numbers] = numbersOf(entry)
  return recordHeader + 1 + 8 * numbers.length
}

/** Writes the record of an entry; returns the offset after it. */
export function writeEntry(to: Buffer, start: number, entry: Entry, keys: KeyEncoding): number {
  const content = start + recordHeader
  const end = 'change' in entry ? writeChange(to, content, entry.change, keys) : writeNumbers(to, content, entry)
  to.writeUInt32LE(end - content, start)
  to.writeUInt32LE(checksum(to, start, end), start + 4)
  return end
}

export function encodeEntry(entry: Entry, keys: KeyEncoding): Buffer {
  const record = Buffer.allocUnsafe(recordBytes(entry, keys))
  writeEntry(record, 0, entry, keys)
  return record
}

const isVersioned = ({ value, version }: Change) => value !== undefined && version !== undefined

function changeBytes(change: Change, keys: KeyEncoding): number {
  const { key, value } = change
  const keyLength = keys === 'latin1' ? key.length : Buffer.byteLength(key)
  return recordHeader + changeHeader + (isVersioned(change) ? 8 : 0) + keyLength + (value?.byteLength ?? 0)
}

function writeChange(to: Buffer, start: number, change: Change, keys: KeyEncoding): number {
  const { key, revision, createRevision, version, value, lease } = change
  let at = to.writeUInt8(isVersioned(change) ? kinds.versioned : value ? kinds.put : kinds.delete, start)
  at = writeNumber(to, revision, at)
  at = writeNumber(to, createRevision, at)
  at = lease === 0n ? writeNumber(to, 0, at) : to.writeBigInt64LE(lease, at)
  if (isVersioned(change)) at = writeNumber(to, version as number, at)
  const keyAt = at + 4
  const keyLength = to.write(key, keyAt, keys)
  to.writeUInt32LE(keyLength, at)
  if (value) to.set(value, keyAt + keyLength)
  return keyAt + keyLength + (value?.byteLength ?? 0)
}

type Numbers = Exclude<Entry, { readonly change: Change }>

/** The kind of an entry, and its numbers. */
function numbersOf(entry: Numbers): readonly [kind: number, ...numbers: bigint[]] {
  if ('ended' in entry) return [kinds.ended, entry.ended]
  if ('compacted' in entry) return [kinds.compacted, BigInt(entry.compacted)]
  const { id, expires, seconds } = entry.lease
  return seconds === undefined ? [kinds.lease, id, BigInt(expires)] : [kinds.granted, id, BigInt(expires), BigInt(seconds)]
}

function writeNumbers(to: Buffer, start: number, entry: Numbers): number {
  const [kind, ...numbers] = numbersOf(entry)
  let at = to.writeUInt8(kind, start)
  for (const number of numbers) at = to.writeBigInt64LE(number, at)
  return at
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
