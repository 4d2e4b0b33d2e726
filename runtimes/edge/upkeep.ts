import { least } from '../../core/common/lists.ts'
import type { Clock, KeyValueStore } from '../../core/ports.ts'
import type { SqlDatabase } from '../stores/sql/database.ts'
import { oldestRevision } from '../stores/sql/tables.ts'
import { webClock } from '../web/ports.ts'

/** The storage of a Durable Object, as far as alarms go. */
export interface AlarmStorage {
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
  getAlarm(): Promise<number | null>
}

/** A compaction that is to come: up to a revision, at a time in milliseconds since the epoch. */
interface Compaction {
  readonly revision: number
  readonly at: number
}

/** Milliseconds until an alarm that could not do its work is repeated. */
const retryAfter = 30_000

/**
 * What a control plane has to do at some time whether it is asked or not: end leases, and compact the history. The runtime evicts objects that
 * have no requests, and timers with them, so one alarm wakes the object for the earliest of these. It is set only when that changes.
 */
export class Upkeep {
  readonly #storage: AlarmStorage
  /** Milliseconds between a change and the compaction of what it has replaced. */
  readonly #interval: number
  readonly #clock: Clock
  #database: SqlDatabase | undefined
  /** The earliest expiry of a lease. */
  #expiry: number | undefined
  #compaction: Compaction | undefined
  /** The alarm as it is set; undefined: not known. */
  #alarm: number | null | undefined
  /** Earliest time of an alarm: what is still due has failed. */
  #notBefore = 0
  #setting: Promise<void> = Promise.resolve()
  #expiryChanged = () => {}

  constructor(storage: AlarmStorage, interval: number, clock: Clock = webClock) {
    this.#storage = storage
    this.#interval = interval
    this.#clock = clock
  }

  /** The database, which tells the expiry of leases. */
  observe(database: SqlDatabase): SqlDatabase {
    this.#database = database
    return {
      ...database,
      nextExpiry: (at) => {
        this.#expiry = at
        this.#expiryChanged()
        this.#arm()
      },
    }
  }

  /** Plans compactions of a store, which is open. */
  async follow(store: KeyValueStore): Promise<void> {
    const revision = await store.currentRevision()
    this.#compaction = this.#load()
    if (this.#compaction === undefined && this.#database !== undefined && revision > oldestRevision(this.#database)) this.#plan(revision)
    store.watch('', revision, {
      events: (events) => {
        const last = events.at(-1)
        if (last !== undefined && this.#compaction === undefined) this.#plan(last.type === 'put' ? last.kv.modRevision : last.revision)
      },
      progress() {},
      end() {},
    })
    this.#arm()
  }

  /** Does what is due; the alarm has fired. Rejects never: what fails is tried again. */
  async run(store: KeyValueStore): Promise<void> {
    this.#alarm = null
    await this.#leasesEnded()
    await this.#compact(store).catch(() => undefined)
    this.#notBefore = this.#clock.now() + retryAfter
    this.#arm()
    await this.#setting
    this.#notBefore = 0
  }

  /** The store ends leases by its own timers; this waits for it, so that the runtime keeps the object meanwhile. */
  async #leasesEnded(): Promise<void> {
    const end = this.#clock.monotonic() + retryAfter
    while (this.#expiry !== undefined && this.#expiry <= this.#clock.now()) {
      const left = end - this.#clock.monotonic()
      if (left <= 0) return
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(left, resolve)
        this.#expiryChanged = () => {
          cancel()
          resolve()
        }
      })
    }
  }

  async #compact(store: KeyValueStore): Promise<void> {
    const due = this.#compaction
    if (due === undefined || due.at > this.#clock.now()) return
    await store.compact(due.revision)
    this.#compaction = undefined
    const revision = await store.currentRevision()
    if (revision > due.revision) this.#plan(revision)
    else this.#save()
  }

  #plan(revision: number): void {
    this.#compaction = { revision, at: this.#clock.now() + this.#interval }
    this.#save()
    this.#arm()
  }

  #load(): Compaction | undefined {
    const rows = [...(this.#database?.rows("SELECT name, value FROM apiserver_state WHERE name LIKE 'compaction %'") ?? [])]
    const state = new Map(rows.map(({ name, value }) => [name, Number(value)]))
    const [revision, at] = [state.get('compaction revision'), state.get('compaction time')]
    return revision === undefined || at === undefined ? undefined : { revision, at }
  }

  /** In a full database the plan is in memory only, and is made again when the object starts: a compaction is what helps it. */
  #save(): void {
    const insert = "INSERT INTO apiserver_state (name, value) VALUES ('compaction revision', ?), ('compaction time', ?)"
    try {
      this.#database?.run("DELETE FROM apiserver_state WHERE name LIKE 'compaction %'")
      if (this.#compaction !== undefined) this.#database?.run(insert, this.#compaction.revision, this.#compaction.at)
    } catch {}
  }

  #arm(): void {
    this.#setting = this.#setting
      .then(() => this.#set())
      .catch(() => {
        this.#alarm = undefined
      })
  }

  async #set(): Promise<void> {
    const due = [this.#expiry, this.#compaction?.at].filter((at) => at !== undefined)
    const earliest = least(due)
    const isLate = earliest <= this.#clock.now()
    const next = due.length === 0 ? null : isLate ? Math.max(earliest, this.#notBefore) : earliest
    this.#alarm ??= await this.#storage.getAlarm()
    if (next === this.#alarm) return
    this.#alarm = next
    await (next === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(next))
  }
}
