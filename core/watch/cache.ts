/**
 * The watch cache: all objects of one resource as served bytes, kept current by one store watch. Lists and watches are answered from memory;
 * a list that must be consistent first waits until the cache has reached the store's revision. Starts at its first use.
 */
import { type Clock, type KeyValueStore, type Logger, StoreError, type StoreEvent, type StoreWatch } from '../ports.ts'
import { ApiError, tooLargeResourceVersion } from '../respond/status.ts'
import type { Entry } from '../storage/entry.ts'
import type { Freshness, ObjectStore } from '../storage/object-store.ts'
import { isUnreadable } from '../storage/unreadable.ts'
import type { Change } from './change.ts'
import { changeOf, directFeed } from './direct.ts'
import type { FeedList, FeedQuery, Subscriber, Subscription, WatchableStore } from './feed.ts'
import { SortedEntries } from './sorted-entries.ts'
import { TooOld } from './too-old.ts'
import { Window } from './window.ts'

const windowCapacity = 10_000
/** Lists remembered at a time. */
const recentLists = 4
const freshnessTimeout = 3_000
const firstRetry = 100
const longestRetry = 10_000

interface Waiter {
  readonly revision: number
  resolve(reached: boolean): void
}

interface State {
  readonly window: Window
  readonly watch: StoreWatch
}

export interface CacheOptions {
  readonly objects: ObjectStore
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly logger: Logger
}

export function createWatchCache({ objects, store, clock, logger }: CacheOptions): WatchableStore {
  const { keys } = objects
  const root = keys.prefix('')
  /** For watches from before what the cache remembers. */
  const past = directFeed(objects, store)
  const entries = new SortedEntries()
  const scopes = new Map<string, Set<Subscriber>>()
  const waiters = new Set<Waiter>()
  const recent = new Map<string, Required<Pick<FeedList, 'entries' | 'kept'>>>()
  let revision = 0
  /** Raised when the cache starts anew: what an earlier watch still says is of no interest. */
  let generation = 0
  let state: State | undefined
  let starting: Promise<State> | undefined
  /** The last start failed. */
  let failed = false
  let closed = false

  function advance(to: number): void {
    if (to <= revision) return
    revision = to
    for (const waiter of waiters) if (waiter.revision <= to) waiter.resolve(true)
  }

  function tell(scope: string, changes: readonly Change[]): void {
    const subscribers = scopes.get(scope)
    if (subscribers) for (const subscriber of subscribers) subscriber.changes(changes)
  }

  /** Everybody sees the changes of one revision together; a scope is the root, a namespace's prefix or one key. */
  function dispatch(changes: readonly Change[]): void {
    if (scopes.size === 0) return
    tell(root, changes)
    if (scopes.size === 1 && scopes.has(root)) return
    const narrow = new Map<string, Change[]>()
    for (const change of changes) {
      const { namespace, name } = keys.parse(change.entry.key)
      const wanted = new Set([keys.prefix(namespace), change.entry.key, `*/${name}`])
      wanted.delete(root)
      for (const scope of wanted) {
        if (!scopes.has(scope)) continue
        const own = narrow.get(scope)
        if (own) own.push(change)
        else narrow.set(scope, [change])
      }
    }
    for (const [scope, own] of narrow) tell(scope, own)
  }

  function apply(window: Window, events: readonly StoreEvent[]): void {
    recent.clear()
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
    dispatch(changes)
    const last = events.at(-1)
    if (last) advance(last.type === 'put' ? last.kv.modRevision : last.revision)
  }

  async function load(): Promise<State> {
    let from: string | undefined
    let at: number | undefined
    const loaded: Entry[] = []
    const reading = objects.reader.list()
    for (;;) {
      const page = await store.list({
        prefix: root,
        limit: 5_000,
        ...(from !== undefined && { from }),
        ...(at !== undefined && { revision: at }),
      })
      at = page.revision
      for (const kv of page.items) {
        const entry = reading.read(kv)
        if (entry) loaded.push(entry)
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) break
      from = `${last.key}\0`
    }
    reading.finish()
    if (closed) throw new StoreError('unavailable', 'the watch cache is closed')
    if (at < revision) logger.warn({ resource: objects.definition.names.plural, from: revision, to: at }, 'the store went back')
    recent.clear()
    entries.clear()
    revision = 0
    for (const entry of loaded) entries.set(entry)
    const window = new Window(windowCapacity, at)
    const own = ++generation
    const watch = store.watch(root, at, {
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
        advance(to)
        for (const subscribers of scopes.values()) for (const subscriber of subscribers) subscriber.progress(to)
      },
      end(error) {
        if (own === generation) lost(error)
      },
    })
    advance(at)
    return { window, watch }
  }

  /** The store's watch ended: subscribers start anew from their last revision, and so does the cache. */
  function lost(error: Error | undefined): void {
    generation++
    state?.watch.close()
    state = undefined
    starting = undefined
    recent.clear()
    entries.clear()
    const all = [...scopes.values()].flatMap((subscribers) => [...subscribers])
    scopes.clear()
    for (const subscriber of all) subscriber.end()
    for (const waiter of waiters) waiter.resolve(false)
    if (error && !closed)
      logger.warn({ resource: objects.definition.names.plural, error: error.message }, 'watch cache lost its place, starts anew')
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

  /** Resolves to false when the revision was not reached in time. */
  function reach(wanted: number): Promise<boolean> | true {
    if (revision >= wanted) return true
    state?.watch.requestProgress()
    return new Promise((resolve) => {
      const finish = (reached: boolean) => {
        cancel()
        waiters.delete(waiter)
        resolve(reached)
      }
      const waiter: Waiter = { revision: wanted, resolve: finish }
      const cancel = clock.after(freshnessTimeout, () => finish(false))
      waiters.add(waiter)
    })
  }

  /** A store whose revision is below what the cache had seen when it asked was restored from a backup: nothing here holds any more. */
  function heed(current: number, before: number, asked: number): void {
    if (current < before && asked === generation) lost(new Error(`the store went back from revision ${before} to ${current}`))
  }

  async function currentRevision(): Promise<number> {
    const [before, asked] = [revision, generation]
    const current = await store.currentRevision()
    heed(current, before, asked)
    return current
  }

  async function refresh(at: Freshness): Promise<void> {
    await start()
    if (at === 'any') return
    const wanted = at === 'newest' ? await currentRevision() : 'atLeast' in at ? at.atLeast : at.exact
    await start()
    if (await reach(wanted)) return
    // When the cache lost its place meanwhile, it starts anew with what is newest.
    await start()
    if (revision < wanted) throw tooLargeResourceVersion(wanted, revision)
  }

  function find({ namespace, name, indexed, matches, after }: FeedQuery): readonly Entry[] {
    let found: readonly Entry[]
    if (name !== undefined && (namespace !== '' || !objects.definition.namespaced)) {
      const one = entries.get(keys.of(namespace, name))
      found = one && (after === undefined || one.key > after) ? [one] : []
    } else {
      const prefix = keys.prefix(namespace)
      found = indexed ? entries.withField(indexed, prefix, after) : entries.range(prefix, after)
      if (name !== undefined) found = found.filter((entry) => keys.parse(entry.key).name === name)
    }
    return matches ? found.filter(matches) : found
  }

  /** As `find`; whole lists are remembered until something changes, as many clients ask for the same ones. */
  function remembered(query: FeedQuery): Pick<FeedList, 'entries' | 'kept'> {
    const { namespace, name, matches, selector, after } = query
    if (name !== undefined || after !== undefined || (matches !== undefined && selector === undefined)) return { entries: find(query) }
    const key = `${namespace}\n${selector ?? ''}`
    let found = recent.get(key)
    if (found === undefined) {
      found = { entries: find(query), kept: new Map() }
      if (recent.size >= recentLists) recent.clear()
      recent.set(key, found)
    }
    return found
  }

  function select(query: FeedQuery): FeedList {
    const { name, matches, limit = 0 } = query
    const whole = remembered(query)
    const found = whole.entries
    if (limit === 0 || found.length <= limit) return { ...whole, revision }
    const page = found.slice(0, limit)
    return {
      entries: page,
      revision,
      next: page.at(-1)!.key,
      ...(!matches && name === undefined && { remaining: found.length - limit }),
    }
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
    if (typeof at === 'object' && 'exact' in at && at.exact !== revision) return objects.list(query)
    return select(query)
  }

  function getStored(key: string): Promise<Entry | undefined> {
    const [before, asked] = [revision, generation]
    return store.get(key).then(({ kv, revision: current }) => {
      heed(current, before, asked)
      return kv && objects.reader.one(kv)
    })
  }

  /** As live as a read of the store, which stores can answer for many at once: their revision, and what the cache has at it. */
  async function getCached(key: string): Promise<Entry | undefined> {
    const asked = generation
    const reached = reach(await currentRevision())
    if ((reached !== true && !(await reached)) || state === undefined || asked !== generation) return getStored(key)
    const entry = entries.get(key)
    return entry?.stale ? getStored(key) : entry
  }

  function subscribe(after: number, scope: { namespace: string; name?: string }, subscriber: Subscriber): Subscription {
    const key = scopeKey(scope)
    const wants = (change: Change) => {
      const { namespace, name } = keys.parse(change.entry.key)
      return (scope.namespace === '' || namespace === scope.namespace) && (scope.name === undefined || name === scope.name)
    }
    let open = true
    let direct: Subscription | undefined
    async function connect(): Promise<void> {
      await start()
      if (after > revision) {
        // Another replica may have told of it. If not, no event will ever come: there is no such revision any more.
        const current = await currentRevision()
        if (after > current) throw new TooOld(after, current)
      }
      const { window, watch } = await start()
      if (!open) return
      const recentChanges = window.after(after)
      if (recentChanges === undefined) {
        // A server that was started anew has no past, but its store has: clients need not list because of that.
        if (after < window.oldest - windowCapacity) throw new TooOld(after, window.oldest)
        const isGone = (error: Error | undefined) => error instanceof StoreError && error.code === 'compacted'
        direct = past.subscribe(after, scope, {
          changes: (changes) => subscriber.changes(changes),
          progress: (to) => subscriber.progress(to),
          end: (error) => subscriber.end(isGone(error) ? new TooOld(after, window.oldest) : error),
        })
        return
      }
      const set = scopes.get(key) ?? new Set()
      scopes.set(key, set)
      set.add(subscriber)
      const missed = recentChanges.filter(wants)
      if (missed.length > 0) subscriber.changes(missed)
      watch.requestProgress()
    }
    connect().catch((error: Error) => {
      if (open) subscriber.end(closed ? undefined : error)
      open = false
    })
    return {
      close() {
        open = false
        direct?.close()
        const set = scopes.get(key)
        set?.delete(subscriber)
        if (set?.size === 0) scopes.delete(key)
      },
      requestProgress: () => (direct ?? state?.watch)?.requestProgress(),
    }
  }

  function scopeKey({ namespace, name }: { namespace: string; name?: string }): string {
    if (name === undefined) return keys.prefix(namespace)
    return namespace === '' && objects.definition.namespaced ? `*/${name}` : keys.of(namespace, name)
  }

  return {
    ...objects,
    list,
    subscribe,
    get: (key) => (state ? getCached(key) : getStored(key)),
    known(key) {
      // Who asks once will ask again. Where it failed it is for lists to try again: they say why.
      if (!state && !failed && !closed) start().catch(() => {})
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

/** There is something in the store that can't be read, without which the cache would not be true. */
export class NotReady extends ApiError {
  constructor({ message }: Error) {
    super('TooManyRequests', `storage is (re)initializing: ${message}`, { retryAfterSeconds: 1 })
  }
}
