/**
 * The watch cache: all objects of one resource as served bytes, kept current by one store watch. Lists and watches are answered from memory;
 * a consistent list first waits until the cache has reached the store's revision. It starts on first use.
 */

import { ApiError, tooLargeResourceVersion } from '../../answers/status.ts'
import { untilAborted, untilAbortedLate } from '../../common/abort.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { Pauses } from '../../common/slices.ts'
import type { Clock, Context, KeyValueStore, Logger, StoreEvent, StoreWatch, StoreWatcher } from '../../ports.ts'
import { StoreError } from '../../ports.ts'
import { inSpan } from '../../tracing/span.ts'
import type { DerivedBudget } from '../storage/derived-budget.ts'
import type { ObjectName } from '../storage/keys.ts'
import { type CacheMetrics, unobserved } from '../storage/metrics.ts'
import type { Freshness, ObjectStore } from '../storage/object-store.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { isUnreadable } from '../storage/unreadable.ts'
import { CacheSubscription, type LiveFeed } from './cache-subscription.ts'
import { CachedLists } from './cached-lists.ts'
import type { Change } from './change.ts'
import { startConsistencyChecks } from './consistency.ts'
import { changeOf, DirectSubscriptions } from './direct.ts'
import { FanOut } from './fan-out.ts'
import type { FeedList, FeedQuery, FieldTerm, WatchableStore } from './feed.ts'
import { loadAll } from './load.ts'
import { freshnessTimeout, RevisionWaiters } from './revision-waiters.ts'
import { SortedEntries } from './sorted-entries.ts'
import { Window, windowCapacity } from './window.ts'

/** Number of single-object reads after which the cache is started. */
const startingReads = 32
/** Minimum milliseconds between progress requests for subscribers. Reads that wait for a revision ask without this limit. */
const progressInterval = 1_000
const firstRetry = 100
const maxRetry = 10_000

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
  readonly observer?: CacheMetrics
  /** Of what objects cache, shared by several watch caches; default: one of its own. */
  readonly budget?: DerivedBudget
  /** Compare the cache with the store at intervals, once it has been loaded. */
  readonly checked?: boolean
  /** Number of lookups (`known`) that start the cache; default 1. Loading it takes longer than some reads of the store. */
  readonly startingLookups?: number
}

export function createWatchCache(options: CacheOptions): WatchableStore {
  const { objects, store, clock, logger, pauses, observer = unobserved().cache, budget, checked = false, startingLookups = 1 } = options
  const { keys, definition } = objects
  const isCached = definition.cached !== false
  const type = [definition.names.plural, definition.group].filter(Boolean).join('.')
  /** Serves watches that start before the window. */
  const past = new DirectSubscriptions(objects, store)
  const entries = new SortedEntries(budget)
  const lists = new CachedLists(entries, keys, definition.namespaced, observer)
  const fanOut = new FanOut(keys, definition.namespaced)
  const waiters = new RevisionWaiters(clock)
  /** Incremented on each restart: events of an earlier store watch are ignored. */
  let generation = 0
  let state: State | undefined
  let starting: Promise<void> | undefined
  /** The last start failed. */
  let failed = false
  let closed = false
  /** The last comparison with the store found no difference. */
  let consistent = true
  let stopChecks: (() => void) | undefined

  function apply(window: Window, events: readonly StoreEvent[]): void {
    lists.forget()
    const changes: Change[] = []
    const now = clock.monotonic()
    for (const event of events) {
      const key = event.type === 'put' ? event.kv.key : event.key
      const change = changeOf(event, objects, entries.get(key))
      if (change === undefined) continue
      if (change.deleted) entries.delete(key)
      else entries.set(change.entry)
      window.push(change, now)
      changes.push(change)
    }
    fanOut.changes(changes)
    for (const change of changes) change.dropEncoded()
    observer.changed(changes.length)
    const last = events.at(-1)
    if (last) waiters.advance(last.type === 'put' ? last.kv.modRevision : last.revision)
  }

  async function load(): Promise<void> {
    const asked = generation
    const loaded = await loadAll(objects, store, pauses.fairSlices())
    if (closed) throw new StoreError('unavailable', 'the watch cache is closed')
    // Meanwhile, a read found that the store's revision went backwards.
    if (asked !== generation) return load()
    const at = loaded.revision
    if (at < waiters.revision)
      logger.warn(
        { resource: definition.names.plural, from: waiters.revision, to: at },
        'store revision went backwards (restored from a backup?)',
      )
    lists.forget()
    entries.replace(loaded.entries)
    const window = new Window(at)
    const own = ++generation
    waiters.restart(at)
    const watcher: StoreWatcher = {
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
        waiters.advance(to)
      },
      end(error) {
        if (own === generation) lost(error)
      },
    }
    // `entries` has the previous values.
    const watch = store.watch(keys.prefix(''), at, watcher, { withoutPrevious: true })
    state = { window, watch }
    observer.loaded(loaded.entries.length)
    if (checked) stopChecks ??= startChecks()
  }

  const startChecks = () =>
    startConsistencyChecks({
      store,
      prefix: keys.prefix(''),
      resource: definition.names.plural,
      clock,
      logger,
      read: () => state && { entries: entries.range(keys.prefix('')), revision: waiters.revision },
      slices: () => pauses.fairSlices(),
      checked(status) {
        if (status !== 'error') consistent = status === 'success'
        observer.compared(status)
      },
    })

  function clear(): void {
    lists.forget()
    entries.clear()
  }

  /** The store's watch ended: subscribers resume from their last revision, and the cache restarts. */
  function lost(error: Error | undefined): void {
    generation++
    state?.watch.close()
    state = undefined
    clear()
    fanOut.end()
    waiters.abandon()
    if (error && !closed) logger.warn({ resource: definition.names.plural, error: error.message }, 'watch cache restarts from a new list')
  }

  async function startWithRetries(): Promise<void> {
    for (let wait = firstRetry; ; wait = Math.min(wait * 2, maxRetry)) {
      try {
        return await load()
      } catch (error) {
        if (isUnreadable(error)) throw new NotReady(error)
        if (closed || wait > freshnessTimeout) throw error
        await new Promise<void>((resolve) => clock.after(wait, resolve))
      }
    }
  }

  /** Callers check `state` after waiting: the store's watch may be lost again by then. */
  async function start(): Promise<void> {
    if (state) return
    if (closed) throw new StoreError('unavailable', 'the watch cache is closed')
    starting ??= startWithRetries().then(
      () => {
        starting = undefined
        failed = false
      },
      (error: unknown) => {
        starting = undefined
        failed = true
        throw error
      },
    )
    return starting
  }

  let askedAt = Number.NEGATIVE_INFINITY

  /** Requests progress from the store at most once per `progressInterval`: the answer goes to all subscribers. */
  function askProgress(): void {
    const now = clock.monotonic()
    if (now - askedAt < progressInterval) return
    askedAt = now
    state?.watch.requestProgress()
  }

  const reach = (wanted: number) => waiters.reach(wanted, () => state?.watch.requestProgress())
  /** As `reach`, for a revision that the store has reported as its current one. */
  const reachKnown = (current: number) => waiters.reach(current, () => state?.watch.requestProgress(current))

  /** Detects a store restored from a backup: its revision is below the one the cache had before it asked. Then the cache restarts. */
  function checkRevision(current: number, before: number, asked: number): number {
    if (current < before && asked === generation) lost(new Error(`store revision went backwards from ${before} to ${current}`))
    return current
  }

  function currentRevision(context?: Context): number | Promise<number> {
    const before = waiters.revision
    const asked = generation
    const current = store.currentRevision(context)
    return current instanceof Promise ? current.then((late) => checkRevision(late, before, asked)) : checkRevision(current, before, asked)
  }

  /** A caller that gives up does not stop the start: others may wait for it too. */
  const startFor = (context: Context | undefined) => (context ? untilAborted(start(), context.signal) : start())

  const waitFor = <T>(answer: Promise<T>, context: Context | undefined) => (context ? untilAbortedLate(answer, context, clock) : answer)

  async function refresh(at: Freshness, context: Context | undefined): Promise<void> {
    if (state === undefined) await startFor(context)
    if (at === 'any') return
    const wanted = at === 'newest' ? await currentRevision(context) : 'atLeast' in at ? at.atLeast : at.exact
    if (state === undefined) await startFor(context)
    const there = at === 'newest' ? reachKnown(wanted) : reach(wanted)
    if (there === true) return observer.waited(0)
    const began = clock.monotonic()
    const fresh = await waitFor(there, context)
    observer.waited(clock.monotonic() - began)
    if (fresh) return
    // If the cache restarted meanwhile, it has the newest state.
    if (state === undefined) await startFor(context)
    if (waiters.revision < wanted) throw tooLargeResourceVersion(wanted, waiters.revision, isCached ? 1 : undefined)
  }

  async function list(query: FeedQuery): Promise<FeedList> {
    const { context } = query
    const span = context?.span?.start('cacher.GetList', { type })
    if (context === undefined || span === undefined) return select(query)
    return inSpan(context, span, async (part) => {
      const found = await select({ ...query, context: part })
      span.event('Listed items from cache', { count: found.entries.length })
      return found
    })
  }

  /** Waits for the index that a list needs, which is created in slices: all objects are decoded for it. */
  function index(term: FieldTerm, context: Context | undefined): Promise<void> {
    const ready = entries.index(term, pauses.fairSlices())
    return context ? untilAborted(ready, context.signal) : ready
  }

  async function select(query: FeedQuery): Promise<FeedList> {
    const { at = 'newest', indexed } = query
    const needsIndex = () => indexed !== undefined && !entries.isIndexed(indexed.field)
    try {
      do {
        await refresh(at, query.context)
        if (state !== undefined && indexed !== undefined && needsIndex()) await index(indexed, query.context)
      } while (state === undefined || needsIndex())
    } catch (error) {
      if (at === 'newest' && query.context) observer.readNewest(false)
      if (closed) return objects.list(query)
      // A paginated list bypasses the cache, so that it reports the unreadable value instead of asking the client to retry (KEP-4568).
      const reports = query.unreadable !== undefined || (query.limit && !query.matches && query.name === undefined)
      if (error instanceof NotReady && reports) return objects.list(query)
      throw error
    }
    // A cache that differs from the store answers no lists of an exact revision, as in the reference.
    if (typeof at === 'object' && 'exact' in at && (!consistent || at.exact !== waiters.revision))
      return objects.list(consistent ? { ...query, known: cached } : query)
    if (at === 'newest' && query.context) observer.readNewest(true)
    return lists.select(query, waiters.revision)
  }

  /** Most objects of a page at an earlier revision have not changed since. */
  function cached(key: string, revision: number): StoredObject | undefined {
    const entry = entries.get(key)
    return entry?.revision === revision ? entry : undefined
  }

  let storedReads = 0
  let lookups = 0

  /** Starts the cache in the background. After a failed start only lists and watches retry, because they report the error. */
  function begin(): void {
    if (!state && !failed && !closed) start().catch(() => {})
  }

  function getStored(key: string, context: Context | undefined): Promise<StoredObject | undefined> {
    const [before, asked] = [waiters.revision, generation]
    return store.get(key, undefined, context).then(({ kv, revision: current }) => {
      checkRevision(current, before, asked)
      return kv && objects.reader.one(kv)
    })
  }

  /**
   * A consistent read of one object: asks the store for its current revision (stores can answer many such calls with one request), then
   * reads the object from the cache at that revision.
   */
  function live({ namespace, name }: ObjectName, context?: Context): MaybePromise<StoredObject | undefined> {
    const key = keys.of(namespace, name)
    const span = context?.span?.start('cacher.Get', { key: keys.pathOf(key), 'resource-version': '' })
    return context && span ? inSpan(context, span, (part) => read(key, part)) : read(key, context)
  }

  function read(key: string, context: Context | undefined): MaybePromise<StoredObject | undefined> {
    if (state === undefined) {
      // A resource that is read often but never listed gets a cache too: a read from the store takes twice as long.
      if (++storedReads === startingReads) begin()
      return getStored(key, context)
    }
    const before = waiters.revision
    const asked = generation
    const current = store.currentRevision(context)
    return current instanceof Promise
      ? readAt(current, before, asked, key, context)
      : cachedAt(checkRevision(current, before, asked), key, asked, context)
  }

  const readAt = (current: Promise<number>, before: number, asked: number, key: string, context: Context | undefined) =>
    current.then((late) => cachedAt(checkRevision(late, before, asked), key, asked, context))

  function cachedAt(current: number, key: string, asked: number, context: Context | undefined): MaybePromise<StoredObject | undefined> {
    if (state === undefined || asked !== generation) return getStored(key, context)
    const there = reachKnown(current)
    if (there !== true) return cachedLater(there, current, key, asked, context)
    const entry = entries.get(key)
    return entry?.stale ? getStored(key, context) : entry
  }

  const cachedLater = (there: Promise<boolean>, current: number, key: string, asked: number, context: Context | undefined) =>
    waitFor(there, context).then((fresh) => (fresh ? cachedAt(current, key, asked, context) : getStored(key, context)))

  const feed: LiveFeed = {
    fanOut,
    past,
    waiters: waiters,
    window: () => state?.window,
    isClosed: () => closed,
    start,
    currentRevision,
    askProgress,
    observer,
  }

  const removeState = observer.opened({
    revision: () => state && waiters.revision,
    objects: () => entries.size,
    capacity: windowCapacity,
  })

  return {
    ...objects,
    cached: isCached,
    list,
    subscribe: (after, scope, subscriber) => new CacheSubscription(feed, after, scope, subscriber),
    get: async (of, context) => live(of, context),
    live,
    known({ namespace, name }) {
      // Further reads of this resource are likely.
      if (state === undefined && ++lookups >= startingLookups) begin()
      const entry = state && entries.get(keys.of(namespace, name))
      return entry?.stale ? undefined : entry
    },
    close() {
      closed = true
      stopChecks?.()
      removeState()
      lost(undefined)
      past.close()
    },
  }
}

/** The store has unreadable values, without which the cache would be incomplete. */
class NotReady extends ApiError {
  constructor({ message }: Error) {
    super('TooManyRequests', `storage is (re)initializing: ${message}`, { retryAfterSeconds: 1 })
  }
}
