/** One client's watch as a byte stream: initial events, changes, bookmarks. Its queue is bounded: a client that can't keep up is disconnected. */

import type { Clock } from '../ports.ts'
import type { ByteSource } from '../respond/byte-source.ts'
import { concatenate } from '../schema/bytes.ts'
import type { Entry } from '../storage/entry.ts'
import { type Change, type EventType, eventTypeOf } from './change.ts'
import type { JoinedFrames, Scope, Subscriber, Subscription, WatchableStore } from './feed.ts'

/** Frames without bytes end the watch: the object can't be represented as the client wants. */
export interface WatchEncoder {
  /** The frame of one object; `change` is absent for initial events. */
  event(type: EventType, entry: Entry, change?: Change): Uint8Array
  /** The frames of all changes, for a watch without a selector. */
  events(changes: readonly Change[], joined: JoinedFrames): Uint8Array
  /** `initialEnd`: the bookmark after the initial events. */
  bookmark(revision: number, initialEnd: boolean): Uint8Array
  error(error: Error): Uint8Array
}

export interface WatchStreamOptions {
  readonly store: WatchableStore
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Calls `end` when the server shuts down; the returned function unregisters it. */
  onShutdown(end: () => void): () => void
  readonly encoder: WatchEncoder
  readonly scope: Scope
  readonly matches?: (entry: Entry) => boolean
  /** Start revision: later changes are sent. */
  readonly after: number
  /** The state at `after`, sent first as ADDED events. */
  readonly initial: readonly Entry[]
  /** Send a bookmark with the initial-events-end annotation. */
  readonly announceInitialEnd: boolean
  /** Called when the initial events have been handed to the connection. */
  readonly initialized?: () => void
  readonly bookmarks: boolean
  /** Milliseconds until the server ends the watch. */
  readonly timeout: number
}

const bookmarkInterval = 60_000
const bookmarkBeforeEnd = 2_000
/** Maximum events and bytes in the queue; beyond that the client is disconnected and can resume. */
const longestQueue = 10_000
const largestQueue = 32 * 1024 * 1024
const chunkSize = 64 * 1024
/**
 * Bytes and events in the queue from which on the watch applies back pressure to history until the connection has taken all of it: bytes
 * that the connection has taken count toward its limits, those in the queue don't.
 */
const [enough, many] = [chunkSize, 1_000]

function emptying() {
  let emptied = () => {}
  const promise = new Promise<void>((resolve) => {
    emptied = resolve
  })
  return { promise, emptied }
}

export const watchStream = (options: WatchStreamOptions): ByteSource => new WatchStream(options)

class WatchStream implements ByteSource, Subscriber {
  readonly #options: WatchStreamOptions
  readonly #subscription: Subscription
  readonly #timers: (() => void)[] = []
  #cancelBookmark = () => {}
  #queue: Uint8Array[] = []
  /** Bytes in the queue. */
  #queued = 0
  #sentInitial = 0
  #revision: number
  #ended = false
  #ready = () => {}
  /** Pending back pressure: resolves when the reader has emptied the queue. */
  #full: { readonly promise: Promise<void>; readonly emptied: () => void } | undefined
  /** The reader found the queue empty and waits for `ready`. */
  #waiting = false

  constructor(options: WatchStreamOptions) {
    this.#options = options
    const { store, clock, signal, encoder, after, scope, initial, timeout } = options
    this.#revision = after
    this.#subscription = store.subscribe(after, scope, this)
    this.#timers.push(clock.after(timeout, () => this.#finish()))
    if (options.bookmarks) {
      this.#bookmarkLater()
      if (timeout > bookmarkBeforeEnd) this.#timers.push(clock.after(timeout - bookmarkBeforeEnd, () => this.#bookmark()))
    }
    signal.addEventListener('abort', this.cancel, { once: true })
    this.#timers.push(options.onShutdown(() => this.#finish()))
    if (signal.aborted) this.cancel()
    if (initial.length === 0 && options.announceInitialEnd) this.#push(encoder.bookmark(after, true))
    if (initial.length === 0) options.initialized?.()
  }

  // ── Subscriber ────────────────────────────────────────────────────────────────────────────────

  changes(changes: readonly Change[], joined?: JoinedFrames): void | Promise<void> {
    const { after, matches, encoder } = this.#options
    if (this.#ended) return
    if (joined !== undefined && matches === undefined && changes[0]!.revision > after) {
      this.#revision = changes.at(-1)!.revision
      this.#push(encoder.events(changes, joined))
    } else this.#each(changes)
    if (this.#queued <= enough && this.#queue.length <= many) return
    this.#full ??= emptying()
    return this.#full.promise
  }

  progress(to: number): void {
    if (to > this.#revision) this.#revision = to
  }

  end(error?: Error): void {
    this.#finish(error && this.#options.encoder.error(error))
  }

  // ── Reader ────────────────────────────────────────────────────────────────────────────────────

  readonly patient = true

  get ended(): boolean {
    return this.#ended
  }

  open(ready: () => void): void {
    this.#ready = ready
  }

  /** The next bytes: the rest of the initial events, then the queue. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    const { initial } = this.#options
    if (this.#sentInitial === initial.length && this.#queue.length === 1) return this.#takeOnly()
    const frames: Uint8Array[] = []
    let size = 0
    while (this.#sentInitial < initial.length && size < chunkSize) {
      const frame = this.#initialEvent()
      if (frame.length === 0) {
        this.cancel()
        break
      }
      frames.push(frame)
      size += frame.length
    }
    if (this.#sentInitial === initial.length) {
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
  readonly cancel = (): void => {
    this.#queue = []
    this.#queued = 0
    this.#sentInitial = this.#options.initial.length
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
    const { initial, encoder, after, announceInitialEnd, initialized } = this.#options
    const frame = encoder.event('ADDED', initial[this.#sentInitial++]!)
    if (this.#sentInitial < initial.length) return frame
    initialized?.()
    if (!announceInitialEnd) return frame
    const end = encoder.bookmark(after, true)
    return concatenate([frame, end], frame.length + end.length)
  }

  #each(changes: readonly Change[]): void {
    const { after, matches, encoder } = this.#options
    for (const change of changes) {
      if (change.revision <= after) continue
      this.#revision = change.revision
      const type = eventTypeOf(change, matches)
      if (type !== undefined) this.#push(encoder.event(type, type === 'DELETED' ? change.departed : change.entry, change))
    }
  }

  // ── Queue and timers ──────────────────────────────────────────────────────────────────────────

  #push(frame: Uint8Array): void {
    if (this.#ended) return
    if (frame.length === 0) {
      this.cancel()
      return
    }
    this.#queue.push(frame)
    this.#queued += frame.length
    if (this.#queue.length > longestQueue || this.#queued > largestQueue) this.cancel()
    else this.#tell()
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

  /** The revision that the watch started from is no news to the client. */
  #bookmark(): void {
    if (this.#revision > this.#options.after) this.#push(this.#options.encoder.bookmark(this.#revision, false))
  }

  #bookmarkLater(): void {
    this.#cancelBookmark = this.#options.clock.after(bookmarkInterval, () => {
      this.#bookmark()
      this.#subscription.requestProgress()
      this.#bookmarkLater()
    })
  }

  /** Ends the watch once the queue has been sent. */
  #finish(last?: Uint8Array): void {
    if (this.#ended) return
    if (last) this.#push(last)
    this.#ended = true
    this.#empty()
    this.#subscription.close()
    this.#cancelBookmark()
    for (const cancel of this.#timers) cancel()
    this.#options.signal.removeEventListener('abort', this.cancel)
    this.#tell()
  }
}
