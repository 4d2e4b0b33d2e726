import { StoreError, type StoreEvent, type StoreWatch, type StoreWatcher } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import type { Versions } from './history.ts'
import { PrefixIndex } from './prefix-index.ts'

interface Watch {
  readonly prefix: string
  readonly after: number
  readonly watcher: StoreWatcher
  state: 'starting' | 'live' | 'ended'
  progressWanted: boolean
}

/** Bytes of past events per call of a watcher. A watcher that needs no more closes its watch. */
const pieceBytes = 64 * 1024

/** Checked after each callback, which may close the watch. */
const isLive = ({ state }: Watch) => state === 'live'

/**
 * Delivers changes to watches. Watchers are called from a microtask or from `deliver`, which the commit point calls once per batch: a watcher
 * sees revisions in order, and progress only when nothing is left to deliver.
 */
export class Watchers {
  readonly #history: Versions
  readonly #live = new PrefixIndex<Watch>()
  /** Watches from a future revision. */
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
    for (const [watches, selected] of this.#live.select(events)) {
      for (const watch of watches) this.#call(watch, (watcher) => watcher.events(selected))
    }
    for (const watch of this.#early) this.#start(watch)
  }

  /** Ends all watches, without an error: the store was closed. */
  close(): void {
    for (const watch of this.#live.items()) this.#end(watch)
    for (const watch of this.#early) this.#end(watch)
  }

  /** Catches up from the history, piece by piece, and joins the live watches, in one step. */
  #start(watch: Watch): void {
    if (watch.state !== 'starting') return
    if (watch.after > this.#history.revision) {
      this.#early.add(watch)
      return
    }
    this.#early.delete(watch)
    watch.state = 'live'
    try {
      this.#catchUp(watch)
    } catch (error) {
      this.#end(watch, error instanceof StoreError ? error : new StoreError('unavailable', String(error)))
    }
    if (!isLive(watch)) return
    this.#live.add(watch.prefix, watch)
    this.#progress(watch)
  }

  #catchUp(watch: Watch): void {
    for (let reached = watch.after; isLive(watch); ) {
      const { events, revision } = this.#history.since(reached, watch.prefix, pieceBytes)
      if (events.length > 0) this.#call(watch, (watcher) => watcher.events(events))
      if (revision >= this.#history.revision) return
      reached = revision
    }
  }

  #progress(watch: Watch): void {
    if (watch.state !== 'live' || !watch.progressWanted) return
    watch.progressWanted = false
    this.#call(watch, (watcher) => watcher.progress(this.#history.revision))
  }

  #end(watch: Watch, error?: StoreError): void {
    if (watch.state === 'ended') return
    this.#early.delete(watch)
    this.#live.delete(watch.prefix, watch)
    watch.state = 'ended'
    queueMicrotask(() => watch.watcher.end(error))
  }

  /** A watcher that throws loses its watch; the commit and other watchers are not affected. */
  #call(watch: Watch, call: (watcher: StoreWatcher) => void): void {
    if (watch.state !== 'live') return
    try {
      call(watch.watcher)
    } catch (error) {
      this.#end(watch, new StoreError('unavailable', `watcher failed: ${messageOf(error)}`))
    }
  }
}
