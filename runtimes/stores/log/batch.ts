/**
 * Batches: one per group commit. `magic | length of the records | number of records | own offset | checksum of the batch before |
 * checksum`, then the records. The checksum covers the header and the records' own checksums, and is seeded with that of the file's
 * header: a batch in another place, another file or another store does not verify.
 */
import { crc32c } from './crc32c.ts'
import { type Entry, type KeyEncoding, readNumber, recordBytes, recordHeader, verifyRecord, writeEntry, writeNumber } from './entry.ts'
import type { LogFile } from './files.ts'

const magic = Buffer.from('BTCH')
export const batchHeader = 4 + 4 + 4 + 8 + 4 + 4
const previousAt = 20
const checksumAt = 24

export interface Batch {
  readonly offset: number
  readonly end: number
  /** Checksum of the preceding batch. */
  readonly previous: number
  readonly checksum: number
  /** Header and records, valid until the next read. */
  readonly bytes: Buffer
  /** Offsets of the records in `bytes`. */
  readonly records: readonly number[]
}

export interface EncodedBatch {
  readonly bytes: Buffer
  readonly checksum: number
  /** Offsets of the records in the file. */
  readonly offsets: readonly number[]
}

/** Records one after the other, behind the space for the header of their batch. */
export interface Records {
  readonly bytes: Buffer
  /** Where each of them begins. */
  readonly starts: readonly number[]
}

export function joined(records: readonly Buffer[]): Records {
  const starts: number[] = []
  let end = batchHeader
  for (const { length } of records) {
    starts.push(end)
    end += length
  }
  return { bytes: Buffer.concat([Buffer.alloc(batchHeader), ...records], end), starts }
}

/** Size in bytes of the first buffer of records, and of the largest one that is kept for the next batch. */
const [firstRecords, keptRecords] = [64 * 1024, 1024 * 1024]

/** Encodes the records of batches in memory that is used again: a buffer for each record and one for all is work for the collector. */
export class RecordBuffer {
  readonly #keys: KeyEncoding
  #buffer = Buffer.allocUnsafeSlow(firstRecords)

  constructor(keys: KeyEncoding) {
    this.#keys = keys
  }

  /** The records of entries, valid until the next call. */
  encode(entries: readonly Entry[]): Records {
    const size = entries.reduce((sum, entry) => sum + recordBytes(entry, this.#keys), batchHeader)
    if (size > this.#buffer.length || this.#buffer.length > keptRecords)
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(firstRecords, 2 ** Math.ceil(Math.log2(size))))
    const starts: number[] = []
    let end = batchHeader
    for (const entry of entries) {
      starts.push(end)
      end = writeEntry(this.#buffer, end, entry, this.#keys)
    }
    return { bytes: this.#buffer.subarray(0, end), starts }
  }
}

/** Writes the header of a batch in front of its records. @param seed checksum of the file's header. @param previous checksum of the batch before. */
export function sealBatch({ bytes, starts }: Records, offset: number, previous: number, seed: number): EncodedBatch {
  magic.copy(bytes)
  bytes.writeUInt32LE(bytes.length - batchHeader, 4)
  bytes.writeUInt32LE(starts.length, 8)
  writeNumber(bytes, offset, 12)
  bytes.writeUInt32LE(previous, previousAt)
  let checksum = crc32c(bytes, seed, 0, checksumAt)
  for (const start of starts) checksum = crc32c(bytes, checksum, start + 4, start + recordHeader)
  bytes.writeUInt32LE(checksum, checksumAt)
  return { bytes, checksum, offsets: starts.map((start) => offset + start) }
}

/** Reads a file through one reused buffer. */
export class Window {
  readonly #file: LogFile
  readonly size: number
  #bytes = Buffer.alloc(0)
  #buffer = Buffer.alloc(0)
  #from = 0

  constructor(file: LogFile) {
    this.#file = file
    this.size = file.size()
  }

  /** Bytes of the file, valid until the next call; undefined past the end of the file. */
  at(offset: number, length: number): Buffer | undefined {
    if (offset + length > this.size) return undefined
    if (offset < this.#from || offset + length > this.#from + this.#bytes.length) {
      if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(Math.max(windowBytes, length))
      this.#from = offset
      this.#bytes = this.#buffer.subarray(0, this.#file.read(this.#buffer.subarray(0, this.size - offset), offset))
      if (this.#bytes.length < length) return undefined
    }
    return this.#bytes.subarray(offset - this.#from, offset - this.#from + length)
  }
}

const windowBytes = 1024 * 1024

/** The batch at an offset; undefined when it does not verify. */
export function readBatch(window: Window, offset: number, seed: number): Batch | undefined {
  const header = window.at(offset, batchHeader)
  if (!header?.subarray(0, magic.length).equals(magic) || readNumber(header, 12) !== offset) return undefined
  const end = offset + batchHeader + header.readUInt32LE(4)
  const count = header.readUInt32LE(8)
  const bytes = window.at(offset, end - offset)
  if (!bytes) return undefined
  let checksum = crc32c(bytes, seed, 0, checksumAt)
  const records: number[] = []
  let at = batchHeader
  for (let i = 0; i < count; i++) {
    const length = verifyRecord(bytes, at)
    if (length === undefined) return undefined
    checksum = crc32c(bytes, checksum, at + 4, at + recordHeader)
    records.push(at)
    at += length
  }
  if (at !== bytes.length || checksum !== bytes.readUInt32LE(checksumAt)) return undefined
  return { offset, end, previous: bytes.readUInt32LE(previousAt), checksum, bytes, records }
}

/** The first verifying batch at or after an offset; undefined when there is none. */
export function findBatch(window: Window, offset: number, seed: number): Batch | undefined {
  const step = 1024 * 1024
  for (let from = offset; from < window.size; from += step) {
    const bytes = window.at(from, Math.min(step + magic.length - 1, window.size - from))
    if (!bytes) return undefined
    const candidates: number[] = []
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) candidates.push(from + at)
    for (const candidate of candidates) {
      const batch = readBatch(window, candidate, seed)
      if (batch) return batch
    }
  }
  return undefined
}

const zeros = Buffer.alloc(64 * 1024)

/** True when a file has a non-zero byte at or after an offset. */
export function isWritten(window: Window, offset: number): boolean {
  for (let from = offset; from < window.size; from += zeros.length) {
    const length = Math.min(zeros.length, window.size - from)
    if (window.at(from, length)?.equals(zeros.subarray(0, length)) === false) return true
  }
  return false
}
