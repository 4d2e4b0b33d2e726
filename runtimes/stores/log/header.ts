/** The first pages of a log's file: a header that never changes, twice, and the two marks of a segment. */
import { crc32c } from './crc32c.ts'
import { readNumber, writeNumber } from './entry.ts'
import type { LogFile } from './files.ts'

export const pageBytes = 4096
/** Version of the format; files with another one are refused. */
const format = 1
const firstLine = 'apiserver log\n'

export interface Header {
  readonly kind: 'segment' | 'base'
  /** Sequence number: segment n continues from base n, if there is one, and from segment n - 1. */
  readonly number: number
  /** Random, the same in all files of a store. */
  readonly store: string
  /** Base: revision of its state. Segment: revision before its first change. */
  readonly revision: number
  /** Base: number of records that must follow. */
  readonly records?: number
  /** Segment: end of the segment before. */
  readonly previous?: { readonly end: number; readonly checksum: number }
}

/** A header with its checksum, which seeds the checksums of the file's batches. */
export interface ReadHeader extends Header {
  readonly seed: number
}

/** The header's pages: readable text, its checksum, zeros. */
export function encodeHeader(header: Header): { pages: Buffer; seed: number } {
  const text = Buffer.from(`${firstLine}${JSON.stringify({ format, ...header })}\n`)
  const seed = crc32c(text)
  const page = Buffer.alloc(pageBytes)
  text.copy(page)
  page.write(`${hex(seed)}\n`, text.length)
  return { pages: Buffer.concat([page, page]), seed }
}

/** Reads the header from either of its pages. Returns the reason as text when both are unusable. */
export function readHeader(file: LogFile): ReadHeader | string {
  const first = readPage(file, 0)
  return typeof first === 'string' ? orElse(readPage(file, pageBytes), first) : first
}

const orElse = (second: ReadHeader | string, first: string) => (typeof second === 'string' ? first : second)

function readPage(file: LogFile, offset: number): ReadHeader | string {
  const page = Buffer.alloc(pageBytes)
  if (file.read(page, offset) < pageBytes) return 'is truncated'
  const text = page.toString('latin1')
  const end = text.indexOf('\n', firstLine.length) + 1
  const seed = crc32c(page.subarray(0, end))
  if (!text.startsWith(firstLine) || text.slice(end, end + 9) !== `${hex(seed)}\n`) return 'the header is damaged (bad checksum)'
  const { format: found, ...header } = JSON.parse(text.slice(firstLine.length, end)) as Header & { format: number }
  return found === format ? { ...header, seed } : `has format ${found}, this program reads format ${format}`
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0')

/**
 * End of the acknowledged part of a segment. There are two marks, in separate pages. Each write replaces the older mark, after the newer one
 * is durable, so that a power cut tears at most one.
 */
export interface Mark {
  readonly end: number
  readonly checksum: number
  readonly revision: number
  /** The log continues in the next segment. */
  readonly continued: boolean
}

export const marks = 2
export const markOffset = (slot: number) => pageBytes * (2 + slot)
/** Offset of the first batch of a file. */
export const bodyOffset = { segment: pageBytes * (2 + marks), base: pageBytes * 2 } as const
const markMagic = 0x4b52414d
const markBytes = 4 + 8 + 4 + 8 + 4 + 4

export function encodeMark(mark: Mark, seed: number): Buffer {
  const bytes = Buffer.alloc(markBytes)
  bytes.writeUInt32LE(markMagic, 0)
  writeNumber(bytes, mark.end, 4)
  bytes.writeUInt32LE(mark.checksum, 12)
  writeNumber(bytes, mark.revision, 16)
  bytes.writeUInt32LE(mark.continued ? 1 : 0, 24)
  bytes.writeUInt32LE(crc32c(bytes, seed, 0, markBytes - 4), markBytes - 4)
  return bytes
}

/** The newest mark of a segment and its slot; undefined when none verifies. */
export function readMark(file: LogFile, seed: number): (Mark & { readonly slot: number }) | undefined {
  const found = Array.from({ length: marks }, (_, slot) => {
    const bytes = Buffer.alloc(markBytes)
    file.read(bytes, markOffset(slot))
    if (bytes.readUInt32LE(0) !== markMagic || bytes.readUInt32LE(markBytes - 4) !== crc32c(bytes, seed, 0, markBytes - 4)) return []
    const mark = { end: readNumber(bytes, 4), checksum: bytes.readUInt32LE(12), revision: readNumber(bytes, 16) }
    return [{ ...mark, continued: bytes.readUInt32LE(24) === 1, slot }]
  }).flat()
  return found.toSorted((a, b) => b.end - a.end || Number(b.continued) - Number(a.continued))[0]
}

/** A random id for a new store. */
export const newStoreId = () => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
