/** The files of an open log, and reads of old values from them. */
import { type KeyValue, StoreError } from '../../../core/ports.ts'
import type { Change } from '../history.ts'
import { decodeEntry, type KeyEncoding, recordHeader, verifyRecord } from './entry.ts'
import type { LogDirectory, LogFile } from './files.ts'
import type { Places } from './places.ts'

/** A complete, immutable file. */
export interface LogSegment {
  readonly number: number
  readonly name: string
  readonly file: LogFile
  readonly places: Places
  readonly size: number
}

/** The active segment, as readers see it. */
export interface Active {
  readonly number: number
  readonly file: LogFile
  readonly places: Places
}

export class Parts {
  readonly #directory: LogDirectory
  readonly #keys: KeyEncoding
  #base: LogSegment | undefined
  /** Segments, oldest first. */
  #finished: readonly LogSegment[]
  active: Active

  constructor(
    directory: LogDirectory,
    keys: KeyEncoding,
    { base, finished, active }: { base: LogSegment | undefined; finished: readonly LogSegment[]; active: Active },
  ) {
    this.#directory = directory
    this.#keys = keys
    this.#base = base
    this.#finished = finished
    this.active = active
  }

  /** Size in bytes of all files but the active segment. */
  get size(): number {
    return this.#all().reduce((sum, { size }) => sum + size, 0)
  }

  get baseSize(): number {
    return this.#base?.size ?? 0
  }

  /** Replaces the active segment. */
  finish(part: LogSegment, active: Active): void {
    this.#finished = [...this.#finished, part]
    this.active = active
  }

  /** Number of the first segment with a later revision, and the bytes of the segments before it. */
  firstNeeded(oldest: number): { readonly number: number; readonly bytes: number } {
    const index = this.#finished.findIndex(({ places }) => places.last > oldest)
    const needless = index < 0 ? this.#finished : this.#finished.slice(0, index)
    return {
      number: this.#finished[needless.length]?.number ?? this.active.number,
      bytes: needless.reduce((sum, { size }) => sum + size, 0),
    }
  }

  /** Installs a new base and removes the files that it replaces: the old base and segments with lower numbers. */
  replaceBase(base: LogSegment): void {
    const obsolete = [...this.#finished.filter(({ number }) => number < base.number), ...(this.#base ? [this.#base] : [])]
    this.#finished = this.#finished.filter(({ number }) => number >= base.number)
    this.#base = base
    for (const { file, name } of obsolete) {
      file.close()
      this.#directory.remove(name)
    }
  }

  /** Value of a key that was written at a revision. @throws StoreError 'corrupt' when its record does not verify. */
  read(revision: number, key: string): KeyValue {
    const { value, createRevision } = this.change(revision, key)
    return { key, value, createRevision, modRevision: revision }
  }

  /** The write of a key at a revision. @throws StoreError 'corrupt' when its record does not verify. */
  change(revision: number, key: string): Change & { readonly value: Uint8Array } {
    for (const { places, file } of [this.active, ...this.#all()]) {
      for (const offset of places.offsets(revision)) {
        const record = readRecord(file, offset)
        const entry = record && decodeEntry(record, this.#keys)
        if (entry === undefined || !('change' in entry) || entry.change.key !== key) continue
        const { value } = entry.change
        if (value !== undefined) return { ...entry.change, value }
      }
    }
    throw this.#lost(revision)
  }

  close(): void {
    for (const { file } of [this.active, ...this.#all()]) file.close()
  }

  #all(): readonly LogSegment[] {
    return this.#base ? [this.#base, ...this.#finished] : this.#finished
  }

  #lost(revision: number): StoreError {
    return new StoreError('corrupt', `${this.#directory.path}: revision ${revision} can't be read back: its record is damaged`)
  }
}

function readRecord(file: LogFile, offset: number): Buffer | undefined {
  const header = Buffer.alloc(recordHeader)
  if (file.read(header, offset) < recordHeader) return undefined
  const length = recordHeader + header.readUInt32LE(0)
  if (offset + length > file.size()) return undefined
  const record = Buffer.allocUnsafe(length)
  return file.read(record, offset) === length && verifyRecord(record, 0) === length ? record : undefined
}
