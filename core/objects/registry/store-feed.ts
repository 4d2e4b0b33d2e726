/** Feed of all objects of all resources, with one watch per store. */

import type { Clock, KeyValue, KeyValueStore, Logger, StoreEvent, StoreWatch, StoreWatcher } from '../../ports.ts'
import type { ObjectName, ObjectRef } from '../storage/keys.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { isUnreadable } from '../storage/unreadable.ts'
import type { ResourceTable, ServedResource } from './served.ts'

export interface FedObject {
  readonly resource: ServedResource
  readonly entry: StoredObject
}

/** Which object. */
export interface FedRef extends ObjectRef {
  readonly resource: ServedResource
}

export interface StoreFollower {
  /** Start of a complete replay: initially, and after a lost watch. */
  reset(): void
  /** All objects stored at the start were delivered; before that, absence means nothing. */
  ready(): void
  put(object: FedObject): void
  delete(object: FedRef): void
  /** A resource was added or replaced (possibly with other versions), with this key prefix; its stored objects were delivered. */
  arrived(root: string): void
  /** The resource with this key prefix is not served any more; no further events follow. */
  forget(root: string): void
}

export interface StoreFeed {
  /** The object of a key, if its resource is served. */
  find(key: string): FedRef | undefined
  keyOf(resource: ServedResource, of: ObjectName): string
  /** The key prefix of a resource. */
  rootOf(resource: ServedResource): string
  close(): void
}

/** One run of reading stored objects. */
interface Reading {
  /** False when the run was superseded, or its resource removed. */
  isCurrent(): boolean
  /** Whether to deliver the objects of the resource with this key prefix. */
  wants(root: string): boolean
}

/** The reading of an added resource's objects, and its events meanwhile, which are held back. */
interface CatchUp extends Reading {
  readonly held: (readonly [KeyValueStore, StoreEvent])[]
}

const retryAfter = 1_000
const pageSize = 1_000

const revisionOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.modRevision : event.revision)

const refOf = (resource: ServedResource, key: string): FedRef => ({ resource, key, ...resource.store.keys.parse(key) })

/** Served resources by key prefix. */
const rootsOf = (resources: readonly ServedResource[]) =>
  new Map(resources.map((resource) => [resource.keys.prefix(''), resource] as const))

export interface StoreFeedOptions {
  readonly stores: readonly KeyValueStore[]
  readonly table: ResourceTable
  readonly clock: Clock
  readonly logger: Logger
}

export function followStore({ stores, table, clock, logger }: StoreFeedOptions, prefix: string, follower: StoreFollower): StoreFeed {
  let watches: StoreWatch[] = []
  let cancelStart = () => {}
  let closed = false
  let byRoot = rootsOf(table.all())
  /** Incremented by every start: earlier reads are ignored. */
  let generation = 0
  /** By key prefix. A resource that is removed and added again is read again: the first reading is then no longer in the map. */
  const catchingUp = new Map<string, CatchUp>()
  let starting: Promise<void> | undefined
  /** The previous look-up: consecutive keys mostly have the same prefix. */
  let last = { place: '', root: undefined as string | undefined, from: byRoot }

  /** The longest resource prefix of a key. */
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

  function find(key: string): FedRef | undefined {
    const root = rootOf(key)
    const resource = root === undefined ? undefined : byRoot.get(root)
    return resource && refOf(resource, key)
  }

  /** Undefined for unreadable values, which are skipped. */
  function entryOf(kv: KeyValue, { store: { reader } }: ServedResource): StoredObject | undefined {
    try {
      return reader.one(kv)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      logger.debug({ key: kv.key, error: error.message }, 'built-in controllers skip a stored value that cannot be read')
      return undefined
    }
  }

  function put(kv: KeyValue, resource: ServedResource): void {
    const entry = entryOf(kv, resource)
    if (entry) follower.put({ resource, entry })
  }

  /** Delivers the objects below a prefix; resolves to the revision at which they were read. */
  async function load(store: KeyValueStore, below: string, run: Reading): Promise<number> {
    let from: string | undefined
    let revision: number | undefined
    for (;;) {
      const page = await store.list({ prefix: below, limit: pageSize, ...(from && { from }), ...(revision !== undefined && { revision }) })
      if (!run.isCurrent()) return page.revision
      revision = page.revision
      for (const kv of page.items) {
        const root = rootOf(kv.key)
        const resource = root !== undefined && run.wants(root) ? byRoot.get(root) : undefined
        if (resource) put(kv, resource)
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) return revision
      from = `${last.key}\0`
      await clock.pause?.()
    }
  }

  async function start(): Promise<void> {
    const own = ++generation
    byRoot = rootsOf(table.all())
    follower.reset()
    const loaded: (readonly [KeyValueStore, revision: number])[] = []
    // A resource that is added meanwhile is read afterwards: what is read here may be outdated by then.
    const run: Reading = { isCurrent: () => own === generation, wants: (root) => !catchingUp.has(root) }
    for (const store of stores) loaded.push([store, await load(store, prefix, run)])
    if (own !== generation) return
    follower.ready()
    watches = loaded.map(([store, revision]) => follow(store, revision))
  }

  function tell(store: KeyValueStore, event: StoreEvent): void {
    const key = event.type === 'put' ? event.kv.key : event.key
    const root = rootOf(key)
    if (root === undefined) return
    const run = catchingUp.get(root)
    if (run) return void run.held.push([store, event])
    const resource = byRoot.get(root)
    if (resource === undefined) return
    if (event.type === 'delete') follower.delete(refOf(resource, key))
    else put(event.kv, resource)
  }

  function follow(store: KeyValueStore, revision: number): StoreWatch {
    const own = generation
    const watcher: StoreWatcher = {
      events(events) {
        for (const event of events) tell(store, event)
      },
      progress() {},
      end(error) {
        if (own === generation) retry(error)
      },
    }
    return store.watch(prefix, revision, watcher, { withoutPrevious: true })
  }

  /** Delivers the stored objects of an added resource, then the events since. */
  async function catchUp(root: string): Promise<void> {
    const run: CatchUp = { held: [], isCurrent: () => catchingUp.get(root) === run, wants: (each) => each === root }
    catchingUp.set(root, run)
    try {
      await starting
      const told = new Map<KeyValueStore, number>()
      for (const store of stores) told.set(store, await load(store, root, run))
      if (!run.isCurrent()) return
      catchingUp.delete(root)
      follower.arrived(root)
      for (const [store, event] of run.held) if (revisionOf(event) > (told.get(store) ?? 0)) tell(store, event)
    } catch (error) {
      if (run.isCurrent()) retry(error)
    }
  }

  /** Resources were added, changed or removed. */
  function look(): void {
    const before = byRoot
    byRoot = rootsOf(table.all())
    for (const root of before.keys()) {
      if (byRoot.has(root)) continue
      catchingUp.delete(root)
      follower.forget(root)
    }
    // The pending start delivers everything.
    if (starting === undefined) return
    for (const [root, resource] of byRoot) {
      const known = before.get(root)
      if (known === undefined) void catchUp(root)
      else if (known !== resource && !catchingUp.has(root)) follower.arrived(root)
    }
  }

  function startAfter(milliseconds: number): void {
    cancelStart()
    cancelStart = clock.after(milliseconds, () => {
      const own = start()
      starting = own
      own.catch((error: unknown) => {
        if (own === starting) retry(error)
      })
    })
  }

  /** After a lost watch everything restarts, to detect deletions meanwhile. */
  function retry(error: unknown): void {
    if (closed) return
    generation++
    starting = undefined
    catchingUp.clear()
    for (const watch of watches.splice(0)) watch.close()
    logger.debug(
      { error: error instanceof Error ? error.message : undefined },
      'watch of the built-in controllers restarts from a new list',
    )
    startAfter(retryAfter)
  }

  const unfollow = table.follow(look)
  // Deferred, so that the server's start does not wait for reading all objects.
  startAfter(0)
  return {
    find,
    keyOf: ({ store }, { namespace, name }) => store.keys.of(namespace, name),
    rootOf: ({ store }) => store.keys.prefix(''),
    close() {
      closed = true
      generation++
      catchingUp.clear()
      unfollow()
      cancelStart()
      for (const watch of watches) watch.close()
    },
  }
}
