import { type Clock, type Logger, StoreError } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import type { History } from '../history.ts'
import type { Lease } from '../leases.ts'
import { writeBase } from './base.ts'
import { RecordBuffer } from './batch.ts'
import { type Entry, encodeEntry, type KeyEncoding } from './entry.ts'
import { FailedWrites } from './failed-writes.ts'
import type { LogDirectory } from './files.ts'
import { baseName, segmentName } from './names.ts'
import type { Parts } from './parts.ts'
import { Places } from './places.ts'
import { Segment } from './segment.ts'

export interface LogState {
  readonly directory: LogDirectory
  readonly logger: Logger
  readonly clock: Clock
  /** Size in bytes at which a segment ends. */
  readonly segmentBytes: number
  readonly keys: KeyEncoding
  readonly store: string
  readonly history: History
  readonly leases: Map<bigint, Lease>
  readonly parts: Parts
  readonly segment: Segment
}

/** Milliseconds without a commit after which the last mark is written. */
const idleTime = 100

interface Waiting {
  readonly entries: readonly Entry[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The log of one data directory: appended to by group commits, split into segments, compacted into bases. */
export class Log {
  readonly #state: LogState
  readonly #parts: Parts
  readonly #failedWrites: FailedWrites
  readonly #records: RecordBuffer
  #segment: Segment
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #idle: ReturnType<typeof setTimeout> | undefined
  #closing = false

  constructor(state: LogState) {
    this.#state = state
    this.#parts = state.parts
    this.#failedWrites = new FailedWrites(state.logger, state.clock)
    this.#segment = state.segment
    this.#records = new RecordBuffer(state.keys)
  }

  /** Size in bytes on disk. */
  get size(): number {
    return this.#parts.size + this.#segment.size
  }

  /**
   * Resolves when the entries are durable. Entries that arrive while a batch is being written form the next one.
   * @throws StoreError 'no-space' or 'unavailable': the entries don't count, and are removed before the next batch is written.
   */
  append(entries: readonly Entry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** Records a compaction, and removes obsolete data once this saves enough. */
  async compact(oldest: number): Promise<void> {
    await this.append([{ compacted: oldest }])
    const { bytes } = this.#parts.firstNeeded(oldest)
    // The new base is at most as large as the old one and the removed segments together: compactions write two bytes per logged byte at most.
    if (bytes < Math.max(this.#state.segmentBytes, this.#parts.baseSize)) return
    try {
      await this.#rebase(oldest)
    } catch (error) {
      if (!this.#closing)
        this.#state.logger.warn({ error: messageOf(error) }, 'old log segments not removed; retrying at the next compaction')
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    while (this.#writing) await this.#writing
    clearTimeout(this.#idle)
    await this.#segment.sync().catch(() => {})
    this.#parts.close()
  }

  async #write(): Promise<void> {
    clearTimeout(this.#idle)
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#commit(batch.flatMap(({ entries }) => entries))
        this.#failedWrites.succeeded()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        const failure = this.#failure(error)
        this.#failedWrites.failed(this.#file, failure, batch.length)
        for (const { reject } of batch) reject(failure)
      }
    }
    this.#writing = undefined
    if (this.#closing) return
    this.#idle = setTimeout(() => void this.#segment.sync().catch(() => {}), idleTime)
    this.#idle.unref()
  }

  async #commit(entries: readonly Entry[]): Promise<void> {
    if (this.#segment.end >= this.#state.segmentBytes) await this.#roll()
    const { places } = this.#parts.active
    const revision = entries.reduce((newest, entry) => ('change' in entry ? entry.change.revision : newest), this.#segment.revision)
    const offsets = await this.#segment.append(this.#records.encode(entries), revision)
    entries.forEach((entry, index) => {
      if ('change' in entry) places.add(entry.change.revision, offsets[index]!)
      else if ('lease' in entry) this.#state.leases.set(entry.lease.id, entry.lease)
      else if ('ended' in entry) this.#state.leases.delete(entry.ended)
    })
  }

  /** Continues in a new segment. It is created before the old one is finished, so that a power cut in between leaves an empty last segment. */
  async #roll(): Promise<void> {
    const { directory, store, logger } = this.#state
    const before = this.#segment
    const header = await before.ended()
    const { number } = before
    this.#segment = await Segment.create(directory, { number: number + 1, store, ...header })
    await before.finish().catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'end mark of a log segment not written'))
    const { places, file } = this.#parts.active
    this.#parts.finish(
      { number, name: segmentName(number), file, places, size: before.size },
      { number: number + 1, file: this.#segment.file, places: new Places() },
    )
  }

  /** Writes the state at a revision to a new base, from which later segments continue, and removes older files. */
  async #rebase(revision: number): Promise<void> {
    const { directory, store, history, leases, keys } = this.#state
    const { number } = this.#parts.firstNeeded(revision)
    const current = history.currentAt(revision)
    const first = [...leases.values()].map((lease) => encodeEntry({ lease }, keys))
    const offsets = await writeBase(directory, { number, store, revision }, this.#recordsOf(first, current), first.length + current.length)
    const places = new Places()
    for (const [index, { modRevision }] of current.entries()) places.add(modRevision, offsets[first.length + index]!)
    const name = baseName(number)
    const file = directory.open(name)
    this.#parts.replaceBase({ number, name, file, places, size: file.size() })
    await directory.sync()
  }

  *#recordsOf(first: readonly Buffer[], current: ReturnType<History['currentAt']>): Generator<Buffer> {
    yield* first
    for (const { key, modRevision, version } of current) {
      if (this.#closing) throw new Error('the store is closing')
      yield encodeEntry({ change: { ...this.#parts.change(modRevision, key), version } }, this.#state.keys)
    }
  }

  get #file(): string {
    return `${this.#state.directory.path}/${segmentName(this.#segment.number)}`
  }

  #failure(error: unknown): StoreError {
    return new StoreError(isFull(error) ? 'no-space' : 'unavailable', `write ${this.#file}: ${messageOf(error).replaceAll('\n', ' ')}`)
  }
}

/** No space on the disk, in a quota or under a limit. Deno's errors have no code for some of these. */
const isFull = (error: unknown) => /ENOSPC|EDQUOT|EFBIG|no space left|quota exceeded|file too large/i.test(messageOf(error))
