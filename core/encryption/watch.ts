import { type KeyValueStore, StoreError, type StoreEvent, type StoreWatch, type StoreWatcher, type WatchOptions } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import { inOrder } from './in-order.ts'

/** Maximum batches waiting for decryption; a watch that falls further behind ends, and its reader restarts. */
const maxWaiting = 10_000

/** Decrypts events of a store. */
export interface EventOpener {
  isEncrypted(event: StoreEvent): boolean
  /** Never rejects. */
  open(event: StoreEvent): Promise<StoreEvent>
}

/**
 * A watch with decrypted values. Events and progress keep the store's order; events that need no decryption pass synchronously when none is
 * pending.
 */
export function watchDecrypted(
  store: KeyValueStore,
  prefix: string,
  afterRevision: number,
  watcher: StoreWatcher,
  opener: EventOpener,
  options?: WatchOptions,
): StoreWatch {
  let closed = false
  let ended = false
  let waiting = 0

  function close(): void {
    closed = true
    watch.close()
  }

  function end(error?: StoreError): void {
    if (ended) return
    ended = true
    watcher.end(error)
  }

  function fail(why: string): void {
    close()
    end(new StoreError('unavailable', why))
  }

  const deliver = inOrder((error) => fail(`the watch failed: ${messageOf(error)}`))
  const unlessClosed = (call: () => void) => () => {
    if (!closed) call()
  }

  function later(events: readonly StoreEvent[]): void {
    if (waiting >= maxWaiting) {
      fail(`more than ${maxWaiting} changes wait for decryption`)
      return
    }
    waiting++
    const opened = Promise.all(events.map(opener.open))
    deliver(async () => {
      const readable = await opened
      waiting--
      if (!closed) watcher.events(readable)
    })
  }

  const decrypting: StoreWatcher = {
    events(events) {
      if (closed) return
      if (events.some(opener.isEncrypted)) later(events)
      else deliver(unlessClosed(() => watcher.events(events)))
    },
    progress: (revision) => deliver(unlessClosed(() => watcher.progress(revision))),
    end: (error) => deliver(() => end(error)),
  }
  const watch = store.watch(prefix, afterRevision, decrypting, options)
  return { requestProgress: (to) => watch.requestProgress(to), close }
}
