/** All objects of all resources through one watch of each store. */
import type { KeyValue, KeyValueStore, StoreEvent, StoreWatch } from '../ports.ts'
import type { ServedResource } from '../registry/served.ts'
import type { Entry } from '../storage/entry.ts'
import { isUnreadable } from '../storage/unreadable.ts'
import type { ControllerContext } from './controller.ts'

export interface StoredObject {
  readonly resource: ServedResource
  readonly entry: Entry
}

export interface StoreFollower {
  /** Everything is told anew: at the start, and after a watch was lost. */
  reset(): void
  /** All that was stored when the feed began has been told; until then absence means nothing. */
  ready(): void
  put(object: StoredObject): void
  /** `last` is what was deleted. */
  delete(last: StoredObject): void
  /** A resource came, whose keys start with this; what is stored of it was told. */
  arrived(root: string): void
  /** The resource whose keys start with this is served no more; of its objects nothing further is told. */
  forget(root: string): void
}

export interface StoreFeed {
  /** The resource that a key belongs to, where it is served. */
  resourceOf(key: string): ServedResource | undefined
  close(): void
}

const retryAfter = 1_000
const pageSize = 1_000

const revisionOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.modRevision : event.revision)

/** Served resources by the root of their keys. */
const rootsOf = (resources: readonly ServedResource[]) =>
  new Map(resources.map((resource) => [resource.store.keys.prefix(''), resource] as const))

export function followStore({ stores, table, clock, logger }: ControllerContext, prefix: string, follower: StoreFollower): StoreFeed {
  let watches: StoreWatch[] = []
  let cancelStart = () => {}
  let closed = false
  let byRoot = rootsOf(table.all())
  /** Raised by every start: what an earlier one still reads is of no interest. */
  let generation = 0
  /** Events of resources that came later, held back until what they had stored before was told. */
  const held = new Map<string, (readonly [KeyValueStore, StoreEvent])[]>()
  let starting: Promise<void> | undefined
  /** What was looked up last: keys come in order, and mostly one after the other from the same place. */
  let last = { place: '', root: undefined as string | undefined, from: byRoot }

  /** The longest root that the key starts with. */
  function rootOf(key: string): string | undefined {
    const length = key.lastIndexOf('/') + 1
    if (last.from !== byRoot || length !== last.place.length || !key.startsWith(last.place)) {
      const place = key.slice(0, length)
      last = { place, root: rootAbove(place), from: byRoot }
    }
    return last.root
  }

  function rootAbove(place: string): string | undefined {
    for (let end = place.length - 1; end > 0; end = place.lastIndexOf('/', end - 1)) {
      const root = place.slice(0, end + 1)
      if (byRoot.has(root)) return root
    }
    return undefined
  }

  function resourceOf(key: string): ServedResource | undefined {
    const root = rootOf(key)
    return root === undefined ? undefined : byRoot.get(root)
  }

  /** Undefined when it can't be read: it is passed over, so that the rest goes on. */
  function entryOf(kv: KeyValue, { store: { reader } }: ServedResource): Entry | undefined {
    try {
      return reader.one(kv)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      logger.debug({ key: kv.key, error: error.message }, 'built-in controllers skip a stored value')
      return undefined
    }
  }

  /** Tells what a store holds below a prefix; resolves to the revision that it was read at. */
  async function load(store: KeyValueStore, below: string, own: number): Promise<number> {
    let from: string | undefined
    let revision: number | undefined
    for (;;) {
      const page = await store.list({ prefix: below, limit: pageSize, ...(from && { from }), ...(revision !== undefined && { revision }) })
      if (own !== generation) return page.revision
      revision = page.revision
      for (const kv of page.items) {
        const resource = resourceOf(kv.key)
        const entry = resource && entryOf(kv, resource)
        if (entry) follower.put({ resource, entry })
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) return revision
      from = `${last.key}\0`
      await clock.pause?.()
    }
  }

  async function start(): Promise<void> {
    const own = ++generation
    held.clear()
    byRoot = rootsOf(table.all())
    follower.reset()
    const loaded: (readonly [KeyValueStore, revision: number])[] = []
    for (const store of stores) loaded.push([store, await load(store, prefix, own)])
    if (closed || own !== generation) return
    follower.ready()
    watches = loaded.map(([store, revision]) => follow(store, revision))
  }

  function tell(store: KeyValueStore, event: StoreEvent): void {
    const kv = event.type === 'put' ? event.kv : event.previous
    const root = kv && rootOf(kv.key)
    if (kv === undefined || root === undefined) return
    const waiting = held.get(root)
    if (waiting) return void waiting.push([store, event])
    const resource = byRoot.get(root)
    const entry = resource && entryOf(kv, resource)
    if (resource === undefined || entry === undefined) return
    if (event.type === 'put') follower.put({ resource, entry })
    else follower.delete({ resource, entry })
  }

  function follow(store: KeyValueStore, revision: number): StoreWatch {
    const own = generation
    return store.watch(prefix, revision, {
      events(events) {
        for (const event of events) tell(store, event)
      },
      progress() {},
      end(error) {
        if (own === generation) retry(error)
      },
    })
  }

  /** Tells what was stored of a resource before it was served, then what has happened since. */
  async function catchUp(root: string): Promise<void> {
    const own = generation
    held.set(root, [])
    await starting
    const told = new Map<KeyValueStore, number>()
    for (const store of stores) told.set(store, await load(store, root, own))
    if (own !== generation) return
    const events = held.get(root) ?? []
    held.delete(root)
    follower.arrived(root)
    for (const [store, event] of events) if (revisionOf(event) > (told.get(store) ?? 0)) tell(store, event)
  }

  /** Resources came, changed or went. */
  function look(): void {
    const before = byRoot
    byRoot = rootsOf(table.all())
    for (const root of before.keys()) {
      if (byRoot.has(root)) continue
      held.delete(root)
      follower.forget(root)
    }
    // What has not begun yet tells it all.
    if (starting === undefined) return
    for (const root of byRoot.keys()) if (!before.has(root)) catchUp(root).catch(retry)
  }

  function startAfter(milliseconds: number): void {
    cancelStart()
    cancelStart = clock.after(milliseconds, () => {
      starting = start()
      starting.catch(retry)
    })
  }

  /** One watch that is lost ends all: what is gone meanwhile is found out by starting anew. */
  function retry(error: unknown): void {
    if (closed) return
    generation++
    starting = undefined
    for (const watch of watches.splice(0)) watch.close()
    logger.debug(
      { error: error instanceof Error ? error.message : undefined },
      'watch of the built-in controllers restarts from a new list',
    )
    startAfter(retryAfter)
  }

  const unfollow = table.follow(look)
  // Whoever started the server gets it before all that is stored is looked at.
  startAfter(0)
  return {
    resourceOf,
    close() {
      closed = true
      generation++
      unfollow()
      cancelStart()
      for (const watch of watches) watch.close()
    },
  }
}
