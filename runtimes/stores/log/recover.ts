/** `--data-dir-recover`: continues with the verified records of a damaged log. */
import { greatest } from '../../../core/common/lists.ts'
import type { Logger } from '../../../core/ports.ts'
import { type Batch, batchHeader, findBatch, readBatch, Window } from './batch.ts'
import { createLog } from './create.ts'
import { CurrentState } from './current.ts'
import { Damage, refusal } from './damage.ts'
import { decodeEntry, recordHeader, verifyRecord } from './entry.ts'
import type { LogDirectory } from './files.ts'
import { bodyOffset, type ReadHeader, readHeader, readMark } from './header.ts'
import { baseName, logNames, segmentName } from './names.ts'
import { readLog } from './read.ts'

/** Revisions to skip, so that none that a client may have seen is reused. */
const revisionGap = 1_000_000
const damagedSuffix = '.damaged'

/**
 * Collects every record that verifies, logs what is lost, writes the result to new files and renames the old ones. Does nothing when the
 * log is undamaged. `place`: the damage to accept, as FILE:OFFSET of the refusal, so that a flag that stays set does not accept later
 * damage.
 * @throws StoreError 'corrupt' when the first damage is elsewhere.
 */
export async function recoverLog(directory: LogDirectory, place: string, logger: Logger): Promise<void> {
  const damage = damageOf(directory)
  if (damage === undefined) return logger.warn({ place }, 'nothing to recover: the log is undamaged')
  if (damage.place !== place) throw refusal(directory.path, damage)
  const { segments, bases } = logNames(directory.names())
  const state = new Salvage(directory, logger)
  for (const number of bases.slice(-1)) state.read(baseName(number))
  for (const number of segments) state.read(segmentName(number))
  state.reportGaps()
  const { current } = state
  const { changes } = current
  const revision = Math.max(current.revision, state.marked) + revisionGap
  const number = greatest([...segments, ...bases], 0) + 1
  await createLog(directory, { revision, leases: [...current.leases.values()], changes, count: changes.length }, number)
  for (const name of [...segments.map(segmentName), ...bases.map(baseName)]) directory.rename(name, `${name}${damagedSuffix}`)
  await directory.sync()
  logger.warn({ keys: changes.length, revision }, `recovered; the damaged files were renamed to *${damagedSuffix}`)
}

function damageOf(directory: LogDirectory): Damage | undefined {
  try {
    const { base, segments } = readLog(directory, { begin() {}, entry() {} })
    for (const { file } of base ? [base, ...segments] : segments) file.close()
    return undefined
  } catch (error) {
    if (error instanceof Damage) return error
    throw error
  }
}

class Salvage {
  readonly #directory: LogDirectory
  readonly #logger: Logger
  readonly current = new CurrentState()
  /** Newest revision covered by a mark. */
  marked = 0
  readonly #seen = new Set<number>()
  /** Revisions of the log start after this one. */
  #first = 0

  constructor(directory: LogDirectory, logger: Logger) {
    this.#directory = directory
    this.#logger = logger
  }

  read(name: string): void {
    const file = this.#directory.open(name)
    try {
      const header = readHeader(file)
      if (typeof header === 'string') {
        this.#lost(name, 0, file.size(), header)
        return
      }
      if (header.kind === 'base') this.#first = header.revision
      this.current.begin({ name, header, file })
      if (header.kind === 'segment') this.marked = Math.max(this.marked, readMark(file, header.seed)?.revision ?? 0)
      const found = this.#readAll(name, new Window(file), header)
      if (header.records !== undefined && found < header.records)
        this.#logger.error({ file: name, lost: header.records - found }, 'records of the base file lost')
    } finally {
      file.close()
    }
  }

  /** Revisions that existed and have no record. */
  reportGaps(): void {
    const end = Math.max(this.current.revision, this.marked)
    for (let from = this.#first + 1; from <= end; from++) {
      if (this.#seen.has(from) || from === 1) continue
      let to = from
      while (to < end && !this.#seen.has(to + 1)) to++
      this.#logger.error({ from, to }, 'revisions lost')
      from = to
    }
  }

  /** Returns the number of records found. */
  #readAll(name: string, window: Window, header: ReadHeader): number {
    let found = 0
    for (let at: number = bodyOffset[header.kind]; at < window.size; ) {
      const batch = readBatch(window, at, header.seed)
      if (batch) {
        found += this.#take(batch.bytes, batch.records)
        at = batch.end
        continue
      }
      const next: Batch | undefined = findBatch(window, at, header.seed)
      const end = next?.offset ?? window.size
      const bytes = window.at(at, end - at) ?? Buffer.alloc(0)
      const { records, tail } = verifying(bytes)
      found += this.#take(bytes, records)
      if (next || tail) this.#lost(name, at, end, `damaged; ${records.length} records of it verify`)
      at = end
    }
    return found
  }

  #take(bytes: Buffer, records: readonly number[]): number {
    for (const at of records) {
      const entry = decodeEntry(bytes.subarray(at, at + recordHeader + bytes.readUInt32LE(at)), this.current.keys)
      if (!entry) continue
      if ('change' in entry) this.#seen.add(entry.change.revision)
      this.current.entry(entry)
    }
    return records.length
  }

  #lost(file: string, offset: number, end: number, what: string): void {
    this.#logger.error({ file, offset, end }, what)
  }
}

/** Offsets of the verifying records of a damaged batch, up to the first whose length is not usable. */
function verifying(bytes: Buffer): { readonly records: readonly number[]; readonly tail: boolean } {
  const records: number[] = []
  for (let at = batchHeader; at + recordHeader <= bytes.length; ) {
    const length = recordHeader + bytes.readUInt32LE(at)
    if (length === recordHeader) break
    if (verifyRecord(bytes, at) !== undefined) records.push(at)
    at += length
  }
  return { records, tail: bytes.some((byte) => byte !== 0) }
}
