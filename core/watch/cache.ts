/**
 * The watch cache: all objects of one resource as served bytes, kept current by one store watch. Lists and watches are answered from memory;
 * a list that must be consistent first waits until the cache has reached the store's revision. Starts at its first use.
 */
import { type Clock, type KeyValueStore, type Logger, StoreError, type StoreEvent, type StoreWatch } from '../ports.ts'
import { ApiError, tooLargeResourceVersion } from '../respond/status.ts'
import type { Pauses } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import type { Freshness, ObjectStore } from '../storage/object-store.ts'
import { isUnreadable } from '../storage/unreadable.ts'
import { CachedLists } from './cached-lists.ts'
import type { Change } from './change.ts'
import { changeOf, directFeed } from './direct.ts'
import { FanOut, type Scope } from './fan-out.ts'
import type { FeedList, FeedQuery, Subscriber, Subscription, WatchableStore } from './feed.ts'
import { loadAll } from './load.ts'
import { freshnessTimeout, Reached } from './reached.ts'
import { SortedEntries } from './sorted-entries.ts'
import { TooOld } from './too-old.ts'
import { Window } from './window.ts'

/** Reads of single objects after which they are worth a cache. */
const startingReads = 32
const windowCapacity = 10_000
/** Whoever missed more is told so many bytes at a time. */
const pieceBytes = 1024 * 1024
const firstRetry = 100
const longestRetry = 10_000

interface State {
  readonly window: Window
  readonly watch: StoreWatch
}

export interface CacheOptions {
  readonly objects: ObjectStore
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly logger: Logger
  readonly pauses: Pauses
}

export function createWatchCache({ objects, store, clock, logger, pauses }: CacheOptions): WatchableStore {
  const { keys, definition } = objects
  /** For watches from before what the cache remembers. */
  const past = directFeed(objects, store)
  const entries = new SortedEntries()
  const lists = new CachedLists(entries, keys, definition.namespaced)
  const fanOut = new FanOut(keys, definition.namespaced)
  const reached = new Reached(clock)
  const neverAborted = new AbortController().signal
  /** Raised when the cache starts anew: what an earlier watch still says is of no interest. */
  let generation = 0
  let state: State | undefined
  let starting: Promise<State> | undefined
  /** The last start failed. */
  let failed = false
  let closed = false

  function apply(window: Window, events: readonly StoreEvent[]): void {
    lists.forget()
    const changes: Change[] = []
    for (const event of events) {
      const key = event.type === 'put' ? event.kv.key : event.key
      const change = changeOf(event, objects, entries.get(key))
      if (change === undefined) continue
      if (change.deleted) entries.delete(key)
      else entries.set(change.entry)
      window.push(change)
      changes.push(change)
    }
    fanOut.changes(changes)
    const last = events.at(-1)
    if (last) reached.advance(last.type === 'put' ? last.kv.modRevision : last.revision)
  }

  async function load(): Promise<State> {
    const loaded = await loadAll(
      objects,
      store,
      pauses.slices(() => neverAborted),
    )
    if (closed) throw new StoreError('unavailable', 'the watch cache is closed')
    const at = loaded.revision
    if (at < reached.revision)
      logger.warn(
        { resource: definition.names.plural, from: reached.revision, to: at },
        'store revision went backwards (restored from a backup?)',
      )
    lists.forget()
    entries.replace(loaded.entries)
    const window = new Window(windowCapacity, at)
    const own = ++generation
    reached.restart(at)
    const watch = store.watch(keys.prefix(''), at, {
      events(events) {
        if (own !== generation) return
        try {
          apply(window, events)
        } catch (error) {
          if (!isUnreadable(error)) throw error
          lost(error)
          watch.close()
        }
      },
      progress(to) {
        if (own !== generation) return
        reached.advance(to)
        fanOut.progress(to)
      },
      end(error) {
        if (own === generation) lost(error)
      },
    })
    return { window, watch }
  }

  function clear(): void {
    lists.forget()
    entries.clear()
  }

  /** The store's watch ended: subscribers start anew from their last revision, and so does the cache. */
  function lost(error: Error | undefined): void {
    generation++
    state?.watch.close()
    state = undefined
    starting = undefined
    clear()
    fanOut.end()
    reached.giveUp()
    if (error && !closed) logger.warn({ resource: definition.names.plural, error: error.message }, 'watch cache restarts from a new list')
  }

  async function startWithRetries(): Promise<State> {
    for (let wait = firstRetry; ; wait = Math.min(wait * 2, longestRetry)) {
      try {
        return await load()
      } catch (error) {
        if (isUnreadable(error)) throw new NotReady(error)
        if (closed || wait > freshnessTimeout) throw error
        await new Promise<void>((resolve) => clock.after(wait, resolve))
      }
    }
  }

  async function start(): Promise<State> {
    if (state) return state
    if (closed) throw new StoreError('unavailable', 'the watch cache is closed')
    starting ??= startWithRetries().then(
      (ready) => {
        state = ready
        failed = false
        return ready
      },
      (error: unknown) => {
        starting = undefined
        failed = true
        throw error
      },
    )
    return starting
  }

  const reach = (wanted: number) => reached.reach(wanted, () => state?.watch.requestProgress())

  /** A store whose revision is below what the cache had seen when it asked was restored from a backup: nothing here holds any more. */
  function heed(current: number, before: number, asked: number): number {
    if (current < before && asked === generation) lost(new Error(`store revision went backwards from ${before} to ${current}`))
    return current
  }

  function currentRevision(): number | Promise<number> {
    const before = reached.revision
    const asked = generation
    const current = store.currentRevision()
    return current instanceof Promise ? current.then((late) => heed(late, before, asked)) : heed(current, before, asked)
  }

  async function refresh(at: Freshness): Promise<void> {
    await start()
    if (at === 'any') return
    const wanted = at === 'newest' ? await currentRevision() : 'atLeast' in at ? at.atLeast : at.exact
    await start()
    if (await reach(wanted)) return
    // When the cache lost its place meanwhile, it starts anew with what is newest.
    await start()
    if (reached.revision < wanted) throw tooLargeResourceVersion(wanted, reached.revision)
  }

  async function list(query: FeedQuery): Promise<FeedList> {
    const at = query.at ?? 'newest'
    try {
      await refresh(at)
    } catch (error) {
      if (closed) return objects.list(query)
      // A page that is asked for without the cache says what is wrong, instead of that it is to be tried again (KEP-4568).
      if (error instanceof NotReady && query.limit && !query.matches && query.name === undefined) return objects.list(query)
      throw error
    }
    if (typeof at === 'object' && 'exact' in at && at.exact !== reached.revision) return objects.list(query)
    return lists.select(query, reached.revision)
  }

  let storedReads = 0

  /** Where it failed it is for lists to try again: they say why. */
  function begin(): void {
    if (!state && !failed && !closed) start().catch(() => {})
  }

  function getStored(key: string): Promise<Entry | undefined> {
    const [before, asked] = [reached.revision, generation]
    return store.get(key).then(({ kv, revision: current }) => {
      heed(current, before, asked)
      return kv && objects.reader.one(kv)
    })
  }

  /** As live as a read of the store, which stores can answer for many at once: their revision, and what the cache has at it. */
  function live(key: string): Entry | undefined | Promise<Entry | undefined> {
    if (state === undefined) {
      // A resource that is read often, and never listed, is worth a cache as well: reading an object from the store takes twice as long.
      if (++storedReads === startingReads) begin()
      return getStored(key)
    }
    const asked = generation
    const current = currentRevision()
    return current instanceof Promise ? current.then((late) => cachedAt(late, key, asked)) : cachedAt(current, key, asked)
  }

  function cachedAt(current: number, key: string, asked: number): Entry | undefined | Promise<Entry | undefined> {
    if (state === undefined || asked !== generation) return getStored(key)
    const there = reach(current)
    if (there !== true) return there.then((fresh) => (fresh ? cachedAt(current, key, asked) : getStored(key)))
    const entry = entries.get(key)
    return entry?.stale ? getStored(key) : entry
  }

  function subscribe(after: number, scope: Scope, subscriber: Subscriber): Subscription {
    let open = true
    let direct: Subscription | undefined
    /** What was told, or need not be. */
    let told = after

    /** Tells of what is before the window, from the store, and resolves when that is told. */
    function tellPast(oldest: number): Promise<void> {
      // A server that was started anew has no past, but its store has: clients need not list because of that.
      if (told < oldest - windowCapacity) throw new TooOld(after, oldest)
      const isGone = (error: Error | undefined) => error instanceof StoreError && error.code === 'compacted'
      return new Promise((resolve) => {
        const passed = (revision: number) => {
          told = Math.max(told, revision)
          if (!direct || told < (state?.window.oldest ?? Number.POSITIVE_INFINITY)) return
          const over = direct
          direct = undefined
          over.close()
          resolve()
        }
        const own = past.subscribe(told, scope, {
          changes(changes) {
            // Nothing but the revision is kept while the subscriber has enough.
            const last = changes.at(-1)!.revision
            const tellOn = () => {
              if (own === direct) passed(last)
            }
            const full = subscriber.changes(changes)
            return full ? full.then(tellOn) : tellOn()
          },
          progress(to) {
            if (own !== direct) return
            subscriber.progress(to)
            passed(to)
          },
          end: (error) => own === direct && subscriber.end(isGone(error) ? new TooOld(after, oldest) : error),
        })
        direct = own
        own.requestProgress()
      })
    }

    /** Tells the next of what the window has. When that is all, the subscriber is told what comes from now on. */
    function tellRecent({ window, watch }: State): 'all' | void | Promise<void> {
      const missed = window.after(told)!.filter((change) => fanOut.isIn(scope, change))
      const piece = firstOf(missed)
      if (piece.length < missed.length) {
        told = piece.at(-1)!.revision
        return subscriber.changes(piece)
      }
      fanOut.add(scope, subscriber)
      if (piece.length > 0) subscriber.changes(piece)
      watch.requestProgress()
      return 'all'
    }

    async function connect(): Promise<void> {
      await start()
      if (after > reached.revision) {
        // Another replica may have told of it. If not, no event will ever come: there is no such revision any more.
        const current = await currentRevision()
        if (after > current) throw new TooOld(after, current)
      }
      for (;;) {
        const current = await start()
        if (!open) return
        const { oldest } = current.window
        if (told < oldest) await tellPast(oldest)
        else if ((await tellRecent(current)) === 'all') return
      }
    }
    connect().catch((error: Error) => {
      if (open) subscriber.end(closed ? undefined : error)
      open = false
    })
    return {
      close() {
        open = false
        direct?.close()
        fanOut.delete(scope, subscriber)
      },
      requestProgress: () => (direct ?? state?.watch)?.requestProgress(),
    }
  }

  return {
    ...objects,
    list,
    subscribe,
    get: async (key) => live(key),
    live,
    known(key) {
      // Who asks once will ask again.
      begin()
      const entry = state && entries.get(key)
      return entry?.stale ? undefined : entry
    },
    close() {
      closed = true
      lost(undefined)
      past.close()
    },
  }
}

/** The first of some changes, those of one revision together. */
function firstOf(changes: readonly Change[]): readonly Change[] {
  let [count, bytes] = [0, 0]
  while (count < changes.length && (bytes <= pieceBytes || changes[count]!.revision === changes[count - 1]!.revision))
    bytes += changes[count++]!.entry.size
  return changes.slice(0, count)
}

/** There is something in the store that can't be read, without which the cache would not be true. */
export class NotReady extends ApiError {
  constructor({ message }: Error) {
    super('TooManyRequests', `storage is (re)initializing: ${message}`, { retryAfterSeconds: 1 })
  }
}
