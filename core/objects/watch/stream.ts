/** One client's watch as a byte stream: initial events, changes, bookmarks. Its queue is bounded: a client that can't keep up is disconnected. */

import type { ByteSource } from '../../answers/byte-source.ts'
import type { Alarm, Alarms } from '../../common/alarms.ts'
import { concatenate } from '../../schema/bytes.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { type Change, type EventType, eventTypeOf } from './change.ts'
import type { Joined, JoinedFrames, Scope, Subscriber, Subscription, WatchableStore } from './feed.ts'
import type { WatchMetrics } from './metrics.ts'

/** Frames without bytes end the watch: the object can't be represented as the client wants. */
export interface WatchEncoder {
  /** The frame of one object; `change` is absent for initial events. */
  event(type: EventType, entry: StoredObject, change?: Change): Uint8Array
  /** The frames of all changes, for a watch without a selector. */
  events(changes: readonly Change[], joined: JoinedFrames): Joined
  /** `initialEnd`: the bookmark after the initial events. */
  bookmark(revision: number, initialEnd: boolean): Uint8Array
  error(error: Error): Uint8Array
}

type Counts = Pick<WatchMetrics, 'sent' | 'replayed' | 'terminated'>
const unobserved: Counts = { sent() {}, replayed() {}, terminated() {} }

/** What a watch needs of its request. */
export interface WatchOwner {
  /** Calls `end` when the server shuts down; the returned function unregisters it. */
  onShutdown(end: () => void): () => void
  /** Calls `left` when the client leaves; the returned function unregisters it. */
  onLeave(left: () => void): () => void
}

export interface WatchStreamOptions {
  readonly store: WatchableStore
  readonly alarms: Alarms
  readonly owner: WatchOwner
  readonly encoder: WatchEncoder
  readonly observer?: Counts
  readonly scope: Scope
  readonly matches?: (entry: StoredObject) => boolean
  /** Start revision: later changes are sent. */
  readonly after: number
  /** The state at `after`, sent first as ADDED events. */
  readonly initial: readonly StoredObject[]
  /** Send a bookmark with the initial-events-end annotation. */
  readonly announceInitialEnd: boolean
  /** Called when the initial events have been handed to the connection. */
  readonly initialized?: () => void
  /** `always`: also when nothing has changed since the watch began. */
  readonly bookmarks: boolean | 'always'
  /** Milliseconds until the server ends the watch. */
  readonly timeout: number
}

const bookmarkInterval = 60_000
const bookmarkBeforeEnd = 2_000
/** Bookmarks are sent at whole multiples of this many milliseconds, so that many watches share a turn and a frame. */
const bookmarkGrid = 1_000
/** Maximum events and bytes in the queue; beyond that the client is disconnected and can resume. */
const maxQueueLength = 10_000
const maxQueueBytes = 32 * 1024 * 1024
const chunkSize = 64 * 1024
/**
 * Bytes and events in the queue at which the watch applies back pressure to history until the connection has taken all of it: bytes
 * that the connection has taken count toward its limits, those in the queue don't.
 */
const [highWaterBytes, highWaterEvents] = [chunkSize, 1_000]

function emptying() {
  let emptied = () => {}
  const promise = new Promise<void>((resolve) => {
    emptied = resolve
  })
  return { promise, emptied }
}

const nothing = () => {}
const noEntries: readonly StoredObject[] = []

export const watchStream = (options: WatchStreamOptions): ByteSource => new WatchStream(options)

/** There may be tens of thousands: each field and closure counts. */
class WatchStream implements ByteSource, Subscriber, Alarm {
  readonly #alarms: Alarms
  readonly #encoder: WatchEncoder
  readonly #observer: Counts
  readonly #matches: WatchStreamOptions['matches']
  readonly #subscription: Subscription
  readonly #bookmarks: WatchStreamOptions['bookmarks']
  readonly #after: number
  /** Initial events that have not been sent yet, from `sentInitial` on. */
  #initial: readonly StoredObject[]
  #sentInitial = 0
  #announceInitialEnd: boolean
  #initialized: () => void
  #forgetShutdown = nothing
  #forgetLeave = nothing
  #queue: Uint8Array[] = []
  /** Bytes in the queue. */
  #queued = 0
  #revision: number
  #ended = false
  #ready = nothing
  /** Pending back pressure: resolves when the reader has emptied the queue. */
  #full: { readonly promise: Promise<void>; readonly emptied: () => void } | undefined
  /** The reader found the queue empty and waits for `ready`. */
  #waiting = false
  /** Whole milliseconds of the monotonic clock. */
  readonly #endsAt: number
  due = 0
  place = -1

  constructor(options: WatchStreamOptions) {
    const { store, alarms, owner, after, scope, initial, timeout, initialized = nothing } = options
    this.#alarms = alarms
    this.#encoder = options.encoder
    this.#observer = options.observer ?? unobserved
    this.#matches = options.matches
    this.#bookmarks = options.bookmarks
    this.#after = after
    this.#revision = after
    this.#initial = initial
    this.#announceInitialEnd = options.announceInitialEnd
    this.#initialized = initialized
    this.#endsAt = alarms.time() + Math.round(timeout)
    this.#subscription = store.subscribe(after, scope, this)
    this.#sleep()
    let left = false
    const forgetLeave = owner.onLeave(() => {
      left = true
      this.cancel()
    })
    if (left) return
    this.#forgetLeave = forgetLeave
    this.#forgetShutdown = owner.onShutdown(() => this.#finish())
    if (this.#ended) this.#forgetShutdown()
    if (initial.length > 0) return
    if (this.#announceInitialEnd) this.#send(this.#encoder.bookmark(after, true))
    this.#sentAllInitial()
  }

  // ── Subscriber ────────────────────────────────────────────────────────────────────────────────

  changes(changes: readonly Change[], joined?: JoinedFrames): void | Promise<void> {
    if (this.#ended) return
    if (joined !== undefined && this.#matches === undefined && changes[0]!.revision > this.#after) {
      this.#revision = changes.at(-1)!.revision
      const { bytes, sizes } = this.#encoder.events(changes, joined)
      for (const size of sizes) this.#observer.sent(size)
      this.#push(bytes)
    } else this.#each(changes)
    if (this.#queued <= highWaterBytes && this.#queue.length <= highWaterEvents) return
    this.#full ??= emptying()
    return this.#full.promise
  }

  progress(to: number): void {
    if (to > this.#revision) this.#revision = to
  }

  end(error?: Error): void {
    this.#finish(error && this.#encoder.error(error))
  }

  // ── Reader ────────────────────────────────────────────────────────────────────────────────────

  readonly isDeferrable = true

  get ended(): boolean {
    return this.#ended
  }

  open(ready: () => void): void {
    this.#ready = ready
  }

  /** The next bytes: the rest of the initial events, then the queue. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#initial.length === 0 && this.#queue.length === 1) return this.#takeOnly()
    const frames: Uint8Array[] = []
    let size = 0
    while (this.#initial.length > 0 && size < chunkSize) {
      const frame = this.#initialEvent()
      if (frame.length === 0) {
        this.cancel()
        break
      }
      frames.push(frame)
      size += frame.length
    }
    if (this.#initial.length === 0) {
      let count = 0
      while (count < this.#queue.length && size < chunkSize) {
        const frame = this.#queue[count++]!
        frames.push(frame)
        size += frame.length
        this.#queued -= frame.length
      }
      this.#queue = count === this.#queue.length ? [] : this.#queue.slice(count)
    }
    this.#waiting = frames.length === 0
    if (this.#waiting) this.#empty()
    return this.#waiting ? undefined : (concatenate(frames, size) as Uint8Array<ArrayBuffer>)
  }

  /** Drops the queue: the client is gone or too slow. */
  cancel(): void {
    this.#queue = []
    this.#queued = 0
    this.#initial = noEntries
    this.#initialized = nothing
    this.#finish()
  }

  /** The usual case: one frame, sent without a copy. */
  #takeOnly(): Uint8Array<ArrayBuffer> {
    const [only] = this.#queue.splice(0)
    this.#queued = 0
    return only as Uint8Array<ArrayBuffer>
  }

  /** The next initial event; the last one with its bookmark, if requested. */
  #initialEvent(): Uint8Array {
    const frame = this.#encoder.event('ADDED', this.#initial[this.#sentInitial++]!)
    this.#observer.sent(frame.length)
    if (this.#sentInitial < this.#initial.length) return frame
    this.#observer.replayed(this.#initial.length)
    this.#sentAllInitial()
    if (!this.#announceInitialEnd) return frame
    const end = this.#encoder.bookmark(this.#after, true)
    this.#observer.sent(end.length)
    return concatenate([frame, end], frame.length + end.length)
  }

  /** The state is not needed any more: a watch may last for an hour. */
  #sentAllInitial(): void {
    this.#initial = noEntries
    this.#initialized()
    this.#initialized = nothing
  }

  #each(changes: readonly Change[]): void {
    const matches = this.#matches
    for (const change of changes) {
      if (change.revision <= this.#after) continue
      this.#revision = change.revision
      const type = eventTypeOf(change, matches)
      if (type !== undefined) this.#send(this.#encoder.event(type, type === 'DELETED' ? change.departed : change.entry, change))
    }
  }

  // ── Queue and timers ──────────────────────────────────────────────────────────────────────────

  #send(frame: Uint8Array): void {
    if (this.#ended) return
    this.#observer.sent(frame.length)
    this.#push(frame)
  }

  #push(frame: Uint8Array): void {
    if (this.#ended) return
    if (frame.length === 0) {
      this.cancel()
      return
    }
    this.#queue.push(frame)
    this.#queued += frame.length
    if (this.#queue.length > maxQueueLength || this.#queued > maxQueueBytes) {
      this.#observer.terminated()
      this.cancel()
    } else this.#tell()
  }

  #empty(): void {
    this.#full?.emptied()
    this.#full = undefined
  }

  #tell(): void {
    if (!this.#waiting) return
    this.#waiting = false
    this.#ready()
  }

  /** The revision that the watch started from is no news to the client, but can show that it has left. */
  #bookmark(): void {
    this.#subscription.requestProgress()
    if (this.#revision > this.#after || this.#bookmarks === 'always') this.#send(this.#encoder.bookmark(this.#revision, false))
  }

  /** Sets the alarm for the next bookmark, if there is any, or the end. */
  #sleep(): void {
    this.#alarms.set(this, this.#bookmarks ? this.#nextBookmark() : this.#endsAt)
  }

  #nextBookmark(): number {
    const now = this.#alarms.time()
    const last = this.#endsAt - bookmarkBeforeEnd
    if (last <= now) return this.#endsAt
    return Math.min(last, Math.floor((now + bookmarkInterval) / bookmarkGrid) * bookmarkGrid)
  }

  ring(): void {
    if (this.#alarms.time() >= this.#endsAt) this.#finish()
    else this.#bookmark()
    if (!this.#ended) this.#sleep()
  }

  /** Ends the watch once the queue has been sent. */
  #finish(last?: Uint8Array): void {
    if (this.#ended) return
    if (last) this.#send(last)
    this.#ended = true
    this.#empty()
    this.#subscription.close()
    this.#alarms.clear(this)
    this.#forgetShutdown()
    this.#forgetLeave()
    this.#tell()
  }
}
