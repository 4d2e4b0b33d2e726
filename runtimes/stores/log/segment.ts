/**
 * The active segment. Space is allocated with zeros before a batch is written: a full disk is noticed before anything is written, and a
 * commit does not change the file's length, which would cost the file system one more write.
 */
import { type Records, sealBatch } from './batch.ts'
import type { LogDirectory, LogFile } from './files.ts'
import { bodyOffset, encodeHeader, encodeMark, type Header, markOffset, marks } from './header.ts'
import { draftSuffix, segmentName } from './names.ts'

/** The file grows by its own size, within these bounds in bytes. */
const minStep = 256 * 1024
const maxStep = 4 * 1024 * 1024

export interface SegmentState {
  readonly number: number
  readonly file: LogFile
  readonly seed: number
  /** Offset of the next batch. */
  readonly end: number
  /** Checksum of the last batch. */
  readonly checksum: number
  readonly revision: number
  /** Slot of the newest mark, which is durable. */
  readonly slot: number
}

export class Segment {
  readonly number: number
  readonly file: LogFile
  readonly #seed: number
  #end: number
  #checksum: number
  #revision: number
  #slot: number
  #allocated: number
  /** A batch was written and not acknowledged; it must be removed before the next one. */
  #unfinished = false

  constructor({ number, file, seed, end, checksum, revision, slot }: SegmentState) {
    this.number = number
    this.file = file
    this.#seed = seed
    this.#end = end
    this.#checksum = checksum
    this.#revision = revision
    this.#slot = slot
    this.#allocated = file.size()
  }

  /** Creates the next segment, empty and durable. `reserves`: with space for its first batches. */
  static async create(directory: LogDirectory, header: Omit<Header, 'kind'>, reserves = true): Promise<Segment> {
    const name = segmentName(header.number)
    const file = directory.create(`${name}${draftSuffix}`)
    try {
      const { pages, seed } = encodeHeader({ kind: 'segment', ...header })
      const { revision, number } = header
      const end = bodyOffset.segment
      const mark = encodeMark({ end, checksum: seed, revision, continued: false }, seed)
      file.write(Buffer.alloc(end), 0)
      file.write(pages, 0)
      for (let slot = 0; slot < marks; slot++) file.write(mark, markOffset(slot))
      const segment = new Segment({ number, file, seed, end, checksum: seed, revision, slot: 0 })
      if (reserves) segment.#reserve(end + 1)
      await file.sync()
      directory.rename(`${name}${draftSuffix}`, name)
      await directory.sync()
      return segment
    } catch (error) {
      file.close()
      // Until it exists, the segment before stays active.
      for (const made of [name, `${name}${draftSuffix}`]) directory.remove(made)
      throw error
    }
  }

  get end(): number {
    return this.#end
  }

  get revision(): number {
    return this.#revision
  }

  /** Size in bytes on disk. */
  get size(): number {
    return this.#allocated
  }

  /**
   * Writes records as one durable batch; resolves to the offset of each record. After a rejection none of them counts: written bytes are
   * removed, at the latest before the next batch. `revision`: of the last change.
   */
  async append(records: Records, revision: number): Promise<readonly number[]> {
    await this.#repair()
    const { bytes, checksum, offsets } = sealBatch(records, this.#end, this.#checksum, this.#seed)
    this.#reserve(this.#end + bytes.length)
    this.#unfinished = true
    try {
      this.file.write(bytes, this.#end)
      await this.file.sync()
    } catch (error) {
      // On failure the next append retries.
      await this.#repair().catch(() => {})
      throw error
    }
    this.#unfinished = false
    this.#end += bytes.length
    this.#checksum = checksum
    this.#revision = revision
    this.#mark(false)
    return offsets
  }

  /** Makes the last mark durable. */
  sync(): Promise<void> {
    return this.file.sync()
  }

  /** Fields of the next segment's header that describe this one. */
  async ended(): Promise<Required<Pick<Header, 'revision' | 'previous'>>> {
    await this.#repair()
    return { revision: this.#revision, previous: { end: this.#end, checksum: this.#checksum } }
  }

  /** Marks that a next segment exists, and truncates unused space. */
  async finish(): Promise<void> {
    await this.file.sync()
    this.#mark(true)
    this.file.truncate(this.#end)
    this.#allocated = this.#end
    await this.file.sync()
  }

  #mark(continued: boolean): void {
    this.#slot = (this.#slot + 1) % marks
    const mark = { end: this.#end, checksum: this.#checksum, revision: this.#revision, continued }
    this.file.write(encodeMark(mark, this.#seed), markOffset(this.#slot))
  }

  /** Truncating and syncing again is safe after a failed sync: everything before `end` was made durable by an earlier one. */
  async #repair(): Promise<void> {
    if (!this.#unfinished) return
    this.file.truncate(this.#end)
    this.#allocated = this.#end
    await this.file.sync()
    this.#unfinished = false
  }

  #reserve(needed: number): void {
    if (needed <= this.#allocated) return
    const step = Math.min(Math.max(this.#allocated, minStep), maxStep)
    try {
      this.#extend(Math.max(needed, this.#allocated + step))
    } catch {
      // Retry with less space, which may be enough.
      this.#extend(needed)
    }
  }

  #extend(to: number): void {
    try {
      this.file.write(Buffer.alloc(to - this.#allocated), this.#allocated)
      this.#allocated = to
    } catch (error) {
      this.file.truncate(this.#allocated)
      throw error
    }
  }
}
