/** One client's watch as a byte stream: initial events, changes, bookmarks; bounded, and cut when the client can't keep up. */

import type { Clock } from '../ports.ts'
import type { ByteSource } from '../respond/byte-source.ts'
import { concatenate } from '../schema/bytes.ts'
import type { Entry } from '../storage/entry.ts'
import type { Change, EventType } from './change.ts'
import { eventTypeOf } from './change.ts'
import type { WatchableStore } from './feed.ts'
import { TooOld } from './too-old.ts'

export interface WatchEncoder {
  /** The frame of one object; `change` is absent for initial events. */
  event(type: EventType, entry: Entry, change?: Change): Uint8Array
  /** `initialEnd`: the bookmark that ends initial events. */
  bookmark(revision: number, initialEnd: boolean): Uint8Array
  error(error: Error): Uint8Array
}

export interface WatchStreamOptions {
  readonly store: WatchableStore
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly encoder: WatchEncoder
  readonly scope: { readonly namespace: string; readonly name?: string }
  readonly matches?: (entry: Entry) => boolean
  /** Changes after this revision are sent. */
  readonly after: number
  /** State at `after`, sent first as ADDED. */
  readonly initial: readonly Entry[]
  /** A bookmark with the annotation ends the initial events. */
  readonly announceInitialEnd: boolean
  readonly bookmarks: boolean
  /** Milliseconds until the watch ends by itself. */
  readonly timeout: number
}

const bookmarkInterval = 60_000
const bookmarkBeforeEnd = 2_000
/** A client further behind than this is cut and resumes. */
const longestQueue = 10_000
const largestQueue = 32 * 1024 * 1024
const chunkSize = 64 * 1024

function join(frames: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  return frames.length === 1 ? (frames[0] as Uint8Array<ArrayBuffer>) : concatenate(frames, size)
}

export function watchStream(options: WatchStreamOptions): ByteSource {
  const { store, clock, signal, encoder, matches, after, initial } = options
  let queue: Uint8Array[] = []
  let queued = 0
  let sentInitial = 0
  let revision = after
  let ended = false
  let ready = () => {}
  /** The reader has found nothing, and waits to be told. */
  let waiting = false
  const cleanups: (() => void)[] = []

  function cleanUp(): void {
    for (const cleanup of cleanups.splice(0)) cleanup()
  }

  /** What is queued is still delivered; nothing is added. */
  function finish(last?: Uint8Array): void {
    if (ended) return
    if (last) push(last)
    ended = true
    cleanUp()
    tell()
  }

  /** Drops what is queued: the client is gone or too slow. */
  function cut(): void {
    queue = []
    queued = 0
    sentInitial = initial.length
    finish()
  }

  function push(frame: Uint8Array): void {
    if (ended) return
    queue.push(frame)
    queued += frame.length
    if (queue.length > longestQueue || queued > largestQueue) {
      cut()
      return
    }
    tell()
  }

  /** At the end of what happens now, so that events which come together go out together. */
  function tell(): void {
    if (!waiting) return
    waiting = false
    queueMicrotask(ready)
  }

  /** The next bytes: the rest of the initial events, then the queue. */
  function take(): Uint8Array<ArrayBuffer> | undefined {
    const frames: Uint8Array[] = []
    let size = 0
    while (sentInitial < initial.length && size < chunkSize) {
      const frame = encoder.event('ADDED', initial[sentInitial++]!)
      frames.push(frame)
      size += frame.length
      if (sentInitial === initial.length && options.announceInitialEnd) {
        const end = encoder.bookmark(after, true)
        frames.push(end)
        size += end.length
      }
    }
    if (sentInitial === initial.length) {
      let count = 0
      while (count < queue.length && size < chunkSize) {
        const frame = queue[count++]!
        frames.push(frame)
        size += frame.length
        queued -= frame.length
      }
      queue = count === queue.length ? [] : queue.slice(count)
    }
    waiting = frames.length === 0
    return waiting ? undefined : join(frames, size)
  }

  function bookmarkLater(): void {
    const cancel = clock.after(bookmarkInterval, () => {
      push(encoder.bookmark(revision, false))
      subscription.requestProgress()
      bookmarkLater()
    })
    cleanups.push(cancel)
  }

  const subscription = store.subscribe(after, options.scope, {
    changes(changes) {
      const first = changes[0]
      // More than may be queued: cut off, the client would come back for the same.
      if (first && changes.length > longestQueue) return finish(encoder.error(new TooOld(after, first.revision)))
      for (const change of changes) {
        if (change.revision <= after) continue
        revision = change.revision
        const type = eventTypeOf(change, matches)
        if (type !== undefined) push(encoder.event(type, type === 'DELETED' ? change.departed : change.entry, change))
      }
    },
    progress(to) {
      if (to > revision) revision = to
    },
    end: (error) => finish(error && encoder.error(error)),
  })
  cleanups.push(() => subscription.close())
  cleanups.push(clock.after(options.timeout, () => finish()))
  if (options.bookmarks) {
    bookmarkLater()
    cleanups.push(clock.after(Math.max(0, options.timeout - bookmarkBeforeEnd), () => push(encoder.bookmark(revision, false))))
  }
  signal.addEventListener('abort', cut, { once: true })
  cleanups.push(() => signal.removeEventListener('abort', cut))
  if (signal.aborted) cut()
  if (initial.length === 0 && options.announceInitialEnd) push(encoder.bookmark(after, true))

  return {
    open(told) {
      ready = told
    },
    take,
    get ended() {
      return ended
    },
    cancel: cut,
  }
}
