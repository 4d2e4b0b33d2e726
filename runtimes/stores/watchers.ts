import { StoreError, type StoreEvent, type StoreWatch, type StoreWatcher } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import type { Versions } from './history.ts'

interface Watch {
  readonly prefix: string
  readonly after: number
  readonly watcher: StoreWatcher
  state: 'starting' | 'live' | 'ended'
  progressWanted: boolean
}

/**
 * Hands changes to watches. Every call to a watcher is made from a microtask or from `deliver`, which the commit point calls once
 * for a batch: so a watcher sees a revision after all earlier ones, and progress only when nothing is left to deliver.
 */
export class Watchers {
  readonly #history: Versions
  /** Live watches by prefix: a change looks up the prefixes of its key, however many watches there are. */
  readonly #groups = new Map<string, Set<Watch>>()
  /** How many groups have a prefix of this length. */
  readonly #lengths = new Map<number, number>()
  /** Watches from a revision that is yet to come. */
  readonly #early = new Set<Watch>()

  constructor(history: Versions) {
    this.#history = history
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    const watch: Watch = { prefix, after, watcher, state: 'starting', progressWanted: false }
    queueMicrotask(() => this.#start(watch))
    return {
      close: () => this.#end(watch),
      requestProgress: () => {
        if (watch.progressWanted) return
        watch.progressWanted = true
        queueMicrotask(() => this.#progress(watch))
      },
    }
  }

  /** Delivers the events of a batch of commits that the history already holds. */
  deliver(events: readonly StoreEvent[]): void {
    if (this.#groups.size > 0) {
      for (const [prefix, selected] of this.#select(events)) {
        for (const watch of this.#groups.get(prefix) ?? []) this.#call(watch, (watcher) => watcher.events(selected))
      }
    }
    for (const watch of this.#early) this.#start(watch)
  }

  /** Ends all watches, without an error: the store was closed. */
  close(): void {
    for (const group of this.#groups.values()) for (const watch of group) this.#end(watch)
    for (const watch of this.#early) this.#end(watch)
  }

  #select(events: readonly StoreEvent[]): Map<string, StoreEvent[]> {
    const selected = new Map<string, StoreEvent[]>()
    for (const event of events) {
      const key = event.type === 'put' ? event.kv.key : event.key
      for (const length of this.#lengths.keys()) {
        if (length > key.length) continue
        const prefix = key.slice(0, length)
        const list = selected.get(prefix)
        if (list) list.push(event)
        else if (this.#groups.has(prefix)) selected.set(prefix, [event])
      }
    }
    return selected
  }

  /** Catches up from the history and joins the live watches, in one step. */
  #start(watch: Watch): void {
    if (watch.state !== 'starting') return
    if (watch.after > this.#history.revision) {
      this.#early.add(watch)
      return
    }
    this.#early.delete(watch)
    let missed: StoreEvent[]
    try {
      missed = this.#history.since(watch.after, watch.prefix)
    } catch (error) {
      this.#end(watch, error instanceof StoreError ? error : new StoreError('unavailable', String(error)))
      return
    }
    watch.state = 'live'
    const group = this.#groups.get(watch.prefix)
    if (group) group.add(watch)
    else {
      this.#groups.set(watch.prefix, new Set([watch]))
      this.#lengths.set(watch.prefix.length, (this.#lengths.get(watch.prefix.length) ?? 0) + 1)
    }
    if (missed.length > 0) this.#call(watch, (watcher) => watcher.events(missed))
    this.#progress(watch)
  }

  #progress(watch: Watch): void {
    if (watch.state !== 'live' || !watch.progressWanted) return
    watch.progressWanted = false
    this.#call(watch, (watcher) => watcher.progress(this.#history.revision))
  }

  #end(watch: Watch, error?: StoreError): void {
    if (watch.state === 'ended') return
    this.#early.delete(watch)
    const group = this.#groups.get(watch.prefix)
    if (group?.delete(watch) && group.size === 0) {
      this.#groups.delete(watch.prefix)
      const left = (this.#lengths.get(watch.prefix.length) ?? 1) - 1
      if (left > 0) this.#lengths.set(watch.prefix.length, left)
      else this.#lengths.delete(watch.prefix.length)
    }
    watch.state = 'ended'
    queueMicrotask(() => watch.watcher.end(error))
  }

  /** One watcher that throws loses its watch; the commit and the other watchers go on. */
  #call(watch: Watch, call: (watcher: StoreWatcher) => void): void {
    if (watch.state !== 'live') return
    try {
      call(watch.watcher)
    } catch (error) {
      this.#end(watch, new StoreError('unavailable', `watcher failed: ${messageOf(error)}`))
    }
  }
}
