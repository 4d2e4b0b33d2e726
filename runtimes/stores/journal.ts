import { mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { type KeyValue, type Logger, StoreError } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import { restoreExtent } from './extent.ts'
import { type Change, History } from './history.ts'
import type { Lease } from './leases.ts'
import type { Journal } from './mvcc.ts'
import { alive, type Owner, thisProcess } from './owner.ts'
import {
  type Base,
  decodeBase,
  decodeChange,
  decodeLease,
  encodeBase,
  encodeChange,
  encodeLease,
  keyRevision,
  leaseKey,
  revisionKey,
} from './record.ts'

type Table = Database<Buffer, Buffer>

export interface Tables {
  readonly root: RootDatabase<Buffer, Buffer>
  readonly revisions: Table
  readonly leases: Table
  readonly meta: Table
}

export interface Loaded {
  readonly history: History
  readonly leases: readonly Lease[]
  /** Which key hangs on which lease. */
  readonly attached: ReadonlyMap<string, bigint>
}

const ownerKey = Buffer.from('owner')
/** Key of the record that says where the history begins. */
export const baseKey = Buffer.from('history')
/** What the operating system says when there is no room: on the disk, in a quota or under a limit. */
const noSpace = /no space left|file too large|quota exceeded/i
/** What lmdb says when a write was cut short; usually for want of space. */
const ioError = /input\/output error/i
/** A file system with fewer bytes left is full. */
const leastSpace = 1024 * 1024
/** Records removed in one commit of a compaction, so that writes get their turn in between. */
const compactionStep = 2000
/** How long to wait for an owner that is going away, such as one that was just killed. Milliseconds. */
const ownerPatience = 1000

/**
 * The journal of one data directory, on lmdb: one record for each revision (`revisions`), leases (`leases`), and `meta` with the owner
 * and the beginning of the history. A compaction removes records that nothing can read any more, so what is left is at once the
 * snapshot (records up to `oldest`, one for each key) and the log (every revision after it).
 */
export class LmdbJournal implements Journal {
  /** For messages. */
  readonly file: string
  readonly #directory: string
  readonly #generation: number
  #tables: Tables
  #base: Base = { oldest: 1, kept: 0 }
  #failed: StoreError | undefined

  private constructor(directory: string, tables: Tables, generation: number) {
    this.file = join(directory, 'data.mdb')
    this.#directory = directory
    this.#tables = tables
    this.#generation = generation
  }

  /** Opens the directory (made when absent) and takes ownership. Throws when another process has it. */
  static async open(directory: string): Promise<LmdbJournal> {
    let tables: Tables | undefined
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      if (!restoreExtent(join(directory, 'data.mdb'))) throw new Error('data.mdb is cut short')
      tables = openTables(directory)
      return new LmdbJournal(directory, tables, await own(tables))
    } catch (error) {
      await tables?.root.close()
      throw new StoreError('unavailable', `open data directory ${directory}: ${lineOf(error)}`)
    }
  }

  /**
   * Reads everything back. Damage at the end is cut off, with a warning: it was never acknowledged, or the disk lost it.
   * Throws 'corrupt' when damage is followed by intact records, because later revisions built on what is gone.
   */
  async load(logger: Logger): Promise<Loaded> {
    try {
      return await this.#load(logger)
    } catch (error) {
      throw error instanceof StoreError ? error : this.#corrupt(lineOf(error))
    }
  }

  async #load(logger: Logger): Promise<Loaded> {
    const base = await this.#loadBase()
    const history = new History(base.oldest, (revision) => this.#read(revision))
    const attached = new Map<string, bigint>()
    const garbage: number[] = []
    const damaged: Buffer[] = []
    let kept = 0
    for (const key of this.#tables.revisions.getKeys()) {
      // The fast way hands out one shared buffer, longer than it says where `length` can't be redefined; a change holds a copy of its value.
      const shared = this.#tables.revisions.getBinaryFast(key)
      const change = shared && decodeChange(key, shared.subarray(0, shared.length))
      if (!change) {
        damaged.push(key)
        continue
      }
      const snapshot = change.revision <= base.oldest
      const bad = damaged[0]
      if (bad)
        throw this.#corrupt(`revision ${keyRevision(bad)} is damaged (bad checksum) and revision ${change.revision} after it is intact`)
      if (snapshot) {
        kept++
        garbage.push(...history.restore(change))
      } else if (change.revision !== history.revision + 1) {
        throw this.#corrupt(`revision ${history.revision + 1} is missing and revision ${change.revision} after it is intact`)
      } else history.apply(change)
      if (change.lease !== 0n) attached.set(change.key, change.lease)
      else attached.delete(change.key)
    }
    const bad = damaged[0]
    if (bad && keyRevision(bad) <= base.oldest)
      throw this.#corrupt(`revision ${keyRevision(bad)} is damaged (bad checksum) and its history is compacted`)
    if (kept !== base.kept) throw this.#corrupt(`up to revision ${base.oldest} there are ${kept} records instead of ${base.kept}`)
    this.#base = base
    if (damaged.length > 0) {
      logger.warn({ file: this.file, revision: history.revision, dropped: damaged.length }, 'damaged end of the journal cut off')
      await this.#commit(() => damaged.map((key) => this.#tables.revisions.remove(key)))
    }
    if (garbage.length > 0) await this.compact(base.oldest, garbage)
    const leases = this.#loadLeases()
    // Everything is in memory now: a new mapping gives back the pages that were read through the old one.
    await this.#tables.root.close()
    this.#tables = openTables(this.#directory)
    return { history, leases, attached }
  }

  append(changes: readonly Change[]): Promise<void> {
    return this.#commit(() =>
      changes.map((change) => {
        const key = revisionKey(change.revision)
        return this.#tables.revisions.put(key, encodeChange(key, change))
      }),
    )
  }

  grant(lease: Lease): Promise<void> {
    const key = leaseKey(lease.id)
    return this.#commit(() => [this.#tables.leases.put(key, encodeLease(key, lease))])
  }

  endLease(id: bigint): Promise<void> {
    return this.#commit(() => [this.#tables.leases.remove(leaseKey(id))])
  }

  async compact(oldest: number, dropped: readonly number[]): Promise<void> {
    let kept = this.#base.kept + oldest - this.#base.oldest
    let done = 0
    do {
      const step = dropped.slice(done, done + compactionStep)
      done += step.length
      kept -= step.length
      const base = { oldest, kept }
      await this.#commit(() => [...step.map((revision) => this.#tables.revisions.remove(revisionKey(revision))), this.#putBase(base)])
      this.#base = base
    } while (done < dropped.length)
  }

  size(): number {
    return statSync(this.file).size
  }

  async close(): Promise<void> {
    if (!this.#failed) {
      await this.#commit(() => [this.#tables.meta.put(ownerKey, Buffer.alloc(0), this.#generation)]).catch(() => {})
    }
    await this.#tables.root.close()
  }

  /** One transaction, if this process is still the owner. Resolves once it is on disk. */
  async #commit(write: () => Promise<boolean>[]): Promise<void> {
    if (this.#failed) throw this.#failed
    let owned: boolean
    try {
      owned = await this.#tables.meta.ifVersion(ownerKey, this.#generation, () => {
        // They fail together with the transaction, whose promise is the one that counts.
        for (const part of new Set(write())) part.catch(() => {})
      })
    } catch (error) {
      const why = lineOf(await causeOf(error))
      const full = noSpace.test(why) || (ioError.test(why) && this.#isFull())
      throw new StoreError(full ? 'no-space' : 'unavailable', `write ${this.file}: ${why}`)
    }
    if (!owned) {
      this.#failed = new StoreError('unavailable', `write ${this.file}: another process has taken over the data directory`)
      throw this.#failed
    }
  }

  async #loadBase(): Promise<Base> {
    const record = this.#tables.meta.get(baseKey)
    const base = record && decodeBase(baseKey, record)
    if (base) return base
    if (record) throw this.#corrupt('the beginning of the history is damaged (bad checksum)')
    if (this.#tables.revisions.getKeysCount({ limit: 1 }) > 0) throw this.#corrupt('the beginning of the history is missing')
    await this.#commit(() => [this.#putBase(this.#base)])
    return this.#base
  }

  #putBase(base: Base): Promise<boolean> {
    return this.#tables.meta.put(baseKey, encodeBase(baseKey, base), 1)
  }

  #loadLeases(): Lease[] {
    const leases: Lease[] = []
    for (const { key, value } of this.#tables.leases.getRange({})) {
      const lease = decodeLease(key, value)
      if (!lease) throw this.#corrupt('a lease is damaged (bad checksum)')
      leases.push(lease)
    }
    return leases
  }

  #isFull(): boolean {
    const { bavail, bsize } = statfsSync(this.#directory)
    return bavail * bsize < leastSpace
  }

  #read(revision: number): KeyValue {
    const key = revisionKey(revision)
    const record = this.#tables.revisions.get(key)
    const change = record && decodeChange(key, record)
    if (!change?.value) throw this.#corrupt(`revision ${revision} is damaged`)
    return { key: change.key, value: change.value, createRevision: change.createRevision, modRevision: revision }
  }

  #corrupt(what: string): StoreError {
    return new StoreError('corrupt', `${this.file}: ${what}`)
  }
}

/** The tables of a data directory, which is made when absent unless they are only read. */
export function openTables(path: string, readOnly = false): Tables {
  const root = open<Buffer, Buffer>({
    path,
    noSubdir: false,
    readOnly,
    // So that a commit's promise resolves after the flush to disk.
    overlappingSync: false,
    // Commits are batches of their own; lmdb's, one for each turn, would reject a promise that no one can handle when the disk is full.
    eventTurnBatching: false,
    // The map grows by itself.
    mapSize: 64 * 1024 * 1024,
    pageSize: 4096,
    maxDbs: 4,
  })
  const table = { encoding: 'binary', keyEncoding: 'binary' } as const
  return {
    root,
    revisions: root.openDB({ name: 'revisions', ...table }),
    leases: root.openDB({ name: 'leases', ...table }),
    meta: root.openDB({ name: 'meta', useVersions: true, ...table }),
  }
}

/**
 * Makes this process the owner and returns its generation. Judging the last owner and taking its place are one transaction, which
 * the operating system serializes between processes; every later commit is conditional on the generation, so that a former owner
 * which this host could not see (in another container, say) can't write any more.
 */
async function own({ root, meta }: Tables): Promise<number> {
  const me = thisProcess()
  const patient = Date.now() + ownerPatience
  for (;;) {
    const taken = root.transactionSync((): Owner | number => {
      const entry = meta.getEntry(ownerKey)
      const owner = entry && entry.value.byteLength > 0 ? (JSON.parse(entry.value.toString()) as Owner) : undefined
      if (owner && alive(owner)) return owner
      const generation = (entry?.version ?? 0) + 1
      meta.putSync(ownerKey, Buffer.from(JSON.stringify(me)), generation)
      return generation
    })
    if (typeof taken === 'number') return taken
    if (taken.pid === me.pid || Date.now() > patient) throw new Error(`in use by process ${taken.pid}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The reason of a failed commit, which lmdb hands out in a promise of its own. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  const cause = Promise.resolve(error.commitError).then(
    () => error,
    (reason: unknown) => reason,
  )
  return Promise.race([cause, new Promise((resolve) => setTimeout(resolve, 100, error))])
}

function lineOf(error: unknown): string {
  return messageOf(error).replaceAll('\n', ' ')
}
