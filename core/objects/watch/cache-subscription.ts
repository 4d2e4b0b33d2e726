/** One subscriber of a watch cache: catches up from the store or the cache's window, then joins the fan-out. */
import { StoreError } from '../../ports.ts'
import type { CacheMetrics } from '../storage/metrics.ts'
import type { Change } from './change.ts'
import type { FanOut } from './fan-out.ts'
import type { Scope, Subscriber, Subscription, WatchableStore } from './feed.ts'
import type { RevisionWaiters } from './revision-waiters.ts'
import { TooOld } from './too-old.ts'
import { type Window, windowCapacity } from './window.ts'

/** Bytes of changes that are sent at a time to a subscriber that is catching up. */
const pieceBytes = 64 * 1024

/** The cache, as its subscriptions use it. */
export interface LiveFeed {
  readonly fanOut: FanOut
  /** Serves what is older than the window. */
  readonly past: Pick<WatchableStore, 'subscribe'>
  readonly waiters: RevisionWaiters
  /** Undefined: the cache has to start. */
  window(): Window | undefined
  isClosed(): boolean
  readonly observer: Pick<CacheMetrics, 'replayed'>
  /** Rejects when the cache can't start. */
  start(): Promise<void>
  /** The store's revision. */
  currentRevision(): number | Promise<number>
  /** Asks the store for its progress. */
  askProgress(): void
}

export class CacheSubscription implements Subscription {
  readonly #feed: LiveFeed
  readonly #scope: Scope
  readonly #subscriber: Subscriber
  #state: 'catching up' | 'live' | 'over' = 'catching up'
  /** The subscription of what is older than the window. */
  #direct: Subscription | undefined

  constructor(feed: LiveFeed, after: number, scope: Scope, subscriber: Subscriber) {
    this.#feed = feed
    this.#scope = scope
    this.#subscriber = subscriber
    this.#connect(after).catch((error: Error) => {
      if (this.#state !== 'over') subscriber.end(feed.isClosed() ? undefined : error)
      this.#state = 'over'
    })
  }

  close(): void {
    this.#state = 'over'
    this.#direct?.close()
    this.#feed.fanOut.delete(this.#scope, this.#subscriber)
  }

  requestProgress(): void {
    if (this.#direct) {
      this.#direct.requestProgress()
      return
    }
    // A live subscriber has every change that the cache has.
    if (this.#state === 'live') this.#subscriber.progress(this.#feed.waiters.revision)
    this.#feed.askProgress()
  }

  async #connect(after: number): Promise<void> {
    const feed = this.#feed
    if (feed.window() === undefined) await feed.start()
    else await undefined
    if (after > feed.waiters.revision) {
      // Another replica may have reported this revision. If not, it does not exist, and no event would ever arrive.
      const current = await feed.currentRevision()
      if (after > current) throw new TooOld(after, current)
    }
    for (let told = after; this.#state === 'catching up'; ) {
      const window = feed.window()
      if (window === undefined) await feed.start()
      else if (told < window.oldest) told = await this.#tellPast(told, after, window.oldest)
      else told = await this.#tellRecent(window, told)
    }
  }

  /** Sends the changes from before the window, read from the store; resolves to the revision up to which they have been sent. */
  #tellPast(from: number, after: number, oldest: number): Promise<number> {
    const subscriber = this.#subscriber
    // After a restart the window is empty, but the store still has the history: clients need not list again.
    if (from < oldest - windowCapacity) throw new TooOld(after, oldest)
    const isGone = (error: Error | undefined) => error instanceof StoreError && error.code === 'compacted'
    return new Promise((resolve) => {
      let told = from
      const passed = (revision: number) => {
        told = Math.max(told, revision)
        if (!this.#direct || told < (this.#feed.window()?.oldest ?? Number.POSITIVE_INFINITY)) return
        const over = this.#direct
        this.#direct = undefined
        over.close()
        resolve(told)
      }
      const own = this.#feed.past.subscribe(told, this.#scope, {
        changes: (changes) => {
          // `tellOn` holds only the revision, so that the changes can be freed while the subscriber applies back pressure.
          const last = changes.at(-1)!.revision
          const tellOn = () => {
            if (own === this.#direct) passed(last)
          }
          const full = subscriber.changes(changes)
          return full ? full.then(tellOn) : tellOn()
        },
        progress: (to) => {
          if (own !== this.#direct) return
          subscriber.progress(to)
          passed(to)
        },
        end: (error) => {
          if (own === this.#direct) subscriber.end(isGone(error) ? new TooOld(after, oldest) : error)
        },
      })
      this.#direct = own
      own.requestProgress()
    })
  }

  /** Sends the next changes of the window; resolves to the revision of the last. After the last piece the subscriber is in the fan-out. */
  async #tellRecent(window: Window, told: number): Promise<number> {
    const { fanOut, waiters: reached, observer } = this.#feed
    const { changes, isLast } = firstOf(window.after(told)!, (change) => fanOut.isIn(this.#scope, change))
    if (changes.length > 0) observer.replayed(changes.length)
    if (!isLast) {
      await this.#subscriber.changes(changes)
      return changes.at(-1)!.revision
    }
    fanOut.add(this.#scope, this.#subscriber)
    this.#state = 'live'
    if (changes.length > 0) void this.#subscriber.changes(changes)
    this.requestProgress()
    return reached.revision
  }
}

/** The first wanted changes, up to `pieceBytes`; changes of one revision stay together. */
function firstOf(all: readonly Change[], isWanted: (change: Change) => boolean) {
  const changes: Change[] = []
  let bytes = 0
  for (const change of all) {
    if (!isWanted(change)) continue
    if (bytes > pieceBytes && change.revision !== changes.at(-1)?.revision) return { changes, isLast: false }
    changes.push(change)
    bytes += change.entry.size
  }
  return { changes, isLast: true }
}
