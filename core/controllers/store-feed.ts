/** All objects of all resources through one watch of each store. */
import type { KeyValue, KeyValueStore, StoreWatch } from '../ports.ts'
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
}

const retryAfter = 1_000
const pageSize = 1_000

export function followStore({ stores, table, clock, logger }: ControllerContext, prefix: string, follower: StoreFollower): () => void {
  let watches: StoreWatch[] = []
  let cancelStart = () => {}
  let closed = false
  let byRoot = new Map<string, ServedResource>()
  let known = -1

  /** The resource whose root is the longest that the key starts with. */
  function resourceOf(key: string): ServedResource | undefined {
    if (known !== table.revision) {
      known = table.revision
      byRoot = new Map(table.all().map((resource) => [resource.store.keys.prefix(''), resource]))
    }
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      const found = byRoot.get(key.slice(0, end + 1))
      if (found) return found
    }
    return undefined
  }

  /** Undefined when it can't be read: it is passed over, so that the rest goes on. */
  function entryOf(kv: KeyValue, { store: { reader } }: ServedResource): Entry | undefined {
    try {
      return reader.one(kv)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      logger.debug({ key: kv.key, error: error.message }, 'stored value passed over by the controllers')
      return undefined
    }
  }

  /** Tells what a store holds; resolves to the revision that it was read at. */
  async function load(store: KeyValueStore): Promise<number> {
    let from: string | undefined
    let revision: number | undefined
    for (;;) {
      const page = await store.list({ prefix, limit: pageSize, ...(from && { from }), ...(revision !== undefined && { revision }) })
      revision = page.revision
      for (const kv of page.items) {
        const resource = resourceOf(kv.key)
        const entry = resource && entryOf(kv, resource)
        if (entry) follower.put({ resource, entry })
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) return revision
      from = `${last.key}\0`
    }
  }

  async function start(): Promise<void> {
    follower.reset()
    const loaded: (readonly [KeyValueStore, revision: number])[] = []
    for (const store of stores) loaded.push([store, await load(store)])
    if (closed) return
    follower.ready()
    watches = loaded.map(([store, revision]) => follow(store, revision))
  }

  function follow(store: KeyValueStore, revision: number): StoreWatch {
    return store.watch(prefix, revision, {
      events(events) {
        for (const event of events) {
          const kv = event.type === 'put' ? event.kv : event.previous
          const resource = kv && resourceOf(kv.key)
          const entry = resource && entryOf(kv, resource)
          if (resource === undefined || entry === undefined) continue
          if (event.type === 'put') follower.put({ resource, entry })
          else follower.delete({ resource, entry })
        }
      },
      progress() {},
      end: (error) => retry(error),
    })
  }

  function startAfter(milliseconds: number): void {
    cancelStart()
    cancelStart = clock.after(milliseconds, () => void start().catch(retry))
  }

  /** One watch that is lost ends all: what is gone meanwhile is found out by starting anew. */
  function retry(error: unknown): void {
    if (closed) return
    for (const watch of watches.splice(0)) watch.close()
    logger.debug({ error: error instanceof Error ? error.message : undefined }, 'store watch of the controllers starts anew')
    startAfter(retryAfter)
  }

  // Whoever started the server gets it before all that is stored is looked at.
  startAfter(0)
  return () => {
    closed = true
    cancelStart()
    for (const watch of watches) watch.close()
  }
}
