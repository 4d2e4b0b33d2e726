/** Reads a store's files and verifies all of their content. */
import { type Batch, findBatch, isWritten, readBatch, Window } from './batch.ts'
import { Damage } from './damage.ts'
import { decodeEntry, type Entry, type KeyEncoding } from './entry.ts'
import type { LogDirectory, LogFile } from './files.ts'
import { bodyOffset, type Mark, type ReadHeader, readHeader, readMark } from './header.ts'
import { baseName, logNames, segmentName } from './names.ts'

export interface OpenFile {
  readonly name: string
  readonly header: ReadHeader
  readonly file: LogFile
}

/** Receives the records: those of the base first, then those of each segment. */
export interface Sink {
  /** How it gets keys; default: UTF-8. */
  readonly keys?: KeyEncoding
  /** Copies a value to keep; default: into a separate buffer. */
  readonly copy?: (bytes: Uint8Array) => Uint8Array
  /** Called at the start of each file. */
  begin(file: OpenFile): void
  /** @throws Damage when the entry does not follow from those before it. */
  entry(entry: Entry, file: OpenFile, offset: number): void
}

export interface ReadResult {
  readonly base: (OpenFile & { readonly end: number }) | undefined
  /** The last one is active. */
  readonly segments: readonly (OpenFile & { readonly end: number; readonly checksum: number })[]
  readonly mark: Mark & { readonly slot: number }
  /** An unacknowledged batch at the end. */
  readonly torn: boolean
}

/**
 * Reads the newest base and all segments from its number on. In the last segment, bytes after the last verifying batch are dropped as
 * unacknowledged if the mark does not include them and no later batch verifies, since a batch is written only after the one before is
 * acknowledged. The files stay open. `marked`: stops at the mark, for the store of a running server.
 * @throws Damage for any other damage; the files are then closed.
 */
export function readLog(directory: LogDirectory, sink: Sink, { marked = false } = {}): ReadResult {
  const opened: LogFile[] = []
  const open = (name: string, kind: 'segment' | 'base', number: number): OpenFile => {
    const file = directory.open(name)
    opened.push(file)
    const header = readHeader(file)
    if (typeof header === 'string') throw new Damage(name, 0, header)
    if (header.kind !== kind || header.number !== number) throw new Damage(name, 0, `is ${header.kind} ${header.number}`)
    return { name, header, file }
  }
  try {
    const names = logNames(directory.names())
    const number = names.bases.at(-1)
    const base = number === undefined ? undefined : readBase(open(baseName(number), 'base', number), sink)
    const numbers = names.segments.filter((each) => each >= (number ?? 0))
    const first = number ?? 1
    const all = Array.from({ length: Math.max(numbers.at(-1) ?? 0, first) - first + 1 }, (_, index) => first + index)
    const missing = all.find((each) => !numbers.includes(each))
    if (missing !== undefined) throw new Damage(segmentName(missing), 0, 'is missing')
    // Open all files first: a running server may remove them meanwhile.
    const files = all.map((each) => open(segmentName(each), 'segment', each))
    checkBeginning(base, files)
    const segments = files.map((file, index) => {
      const next = files[index + 1]
      return next ? readWhole(file, next, sink) : undefined
    })
    const last = files.at(-1)!
    const mark = readMark(last.file, last.header.seed)
    if (!mark) throw new Damage(last.name, bodyOffset.base, 'both marks of what is acknowledged are damaged (bad checksum)')
    if (mark.continued) throw new Damage(segmentName(last.header.number + 1), 0, 'is missing')
    const { torn, ...end } = readTail(last, mark, sink, marked)
    return { base, segments: [...segments.filter((segment) => segment !== undefined), { ...last, ...end }], mark, torn }
  } catch (error) {
    for (const file of opened) file.close()
    throw error
  }
}

function checkBeginning(base: OpenFile | undefined, [first]: readonly OpenFile[]): void {
  if (first === undefined) return
  if (base ? first.header.revision > base.header.revision : first.header.revision !== 1 || first.header.number !== 1)
    throw new Damage(baseName(first.header.number), 0, 'is missing')
  if (base && base.header.store !== first.header.store) throw new Damage(first.name, 0, 'is of another store')
}

function readBase(open: OpenFile, sink: Sink): OpenFile & { end: number } {
  sink.begin(open)
  const { end, records } = readBatches(open, sink, Number.POSITIVE_INFINITY)
  if (records !== open.header.records) throw new Damage(open.name, end, `${records} of ${open.header.records} records are left`)
  if (end !== open.file.size()) throw new Damage(open.name, end, 'there is more than was written')
  return { ...open, end }
}

/** Reads a segment that is not the last one; the next one records where it ends. */
function readWhole(open: OpenFile, next: OpenFile, sink: Sink): OpenFile & { end: number; checksum: number } {
  const { previous, store } = next.header
  if (store !== open.header.store) throw new Damage(next.name, 0, 'is of another store')
  sink.begin(open)
  const { end, checksum } = readBatches(open, sink, previous?.end ?? 0)
  if (end !== previous?.end || checksum !== previous.checksum) throw unverified(open.name, end)
  return { ...open, end, checksum }
}

function readTail(open: OpenFile, mark: Mark, sink: Sink, marked: boolean): { end: number; checksum: number; torn: boolean } {
  sink.begin(open)
  const { seed } = open.header
  const { window, passed, ...tail } = readBatches(open, sink, marked ? mark.end : Number.POSITIVE_INFINITY, mark)
  if (!passed) throw unverified(open.name, tail.end)
  if (marked) return { ...tail, torn: false }
  const later = findBatch(window, tail.end, seed)
  if (later) throw unverified(open.name, tail.end, later.offset)
  return { ...tail, torn: isWritten(window, tail.end) }
}

interface Batches {
  readonly window: Window
  readonly end: number
  readonly checksum: number
  readonly records: number
  /** True when a batch ended at the mark. */
  readonly passed: boolean
}

/** Reads batches up to the limit, while they verify. */
function readBatches(open: OpenFile, sink: Sink, limit: number, mark?: Mark): Batches {
  const { file, header } = open
  const window = new Window(file)
  let [end, checksum, records, passed] = [bodyOffset[header.kind] as number, header.seed, 0, false]
  for (;;) {
    if (end === mark?.end && checksum === mark.checksum) passed = true
    const batch = end < limit ? readBatch(window, end, header.seed) : undefined
    if (!batch || batch.previous !== checksum || batch.end > limit) return { window, end, checksum, records, passed }
    readEntries(batch, open, sink)
    records += batch.records.length
    end = batch.end
    checksum = batch.checksum
  }
}

function readEntries({ bytes, records, offset }: Batch, open: OpenFile, sink: Sink): void {
  records.forEach((at, index) => {
    const entry = decodeEntry(bytes.subarray(at, records[index + 1]), sink.keys ?? 'utf8', sink.copy)
    if (!entry) throw new Damage(open.name, offset + at, 'holds a record of an unknown kind')
    sink.entry(entry, open, offset + at)
  })
}

const unverified = (name: string, offset: number, later?: number) =>
  new Damage(name, offset, `a batch is damaged (bad checksum)${later === undefined ? '' : `, and the one at offset ${later} is intact`}`)
