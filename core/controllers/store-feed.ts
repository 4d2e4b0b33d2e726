/** All objects of all resources through one watch of the store. */
import type { StoreWatch } from '../ports.ts'
import type { ServedResource } from '../registry/served.ts'
import { Entry } from '../storage/entry.ts'
import type { ControllerContext } from './controller.ts'

export interface StoredObject {
  readonly resource: ServedResource
  readonly entry: Entry
}

export interface StoreFollower {
  /** Everything is told anew: at the start, and after the watch was lost. */
  reset(): void
  /** All that was stored when the feed began has been told; until then absence means nothing. */
  ready(): void
  put(object: StoredObject): void
  /** `last` is what was deleted. */
  delete(last: StoredObject): void
}

const retryAfter = 1_000
const pageSize = 1_000

export function followStore({ store, table, clock, logger }: ControllerContext, prefix: string, follower: StoreFollower): () => void {
  let watch: StoreWatch | undefined
  let cancelRetry = () => {}
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

  async function start(): Promise<void> {
    let from: string | undefined
    let revision: number | undefined
    follower.reset()
    for (;;) {
      const page = await store.list({ prefix, limit: pageSize, ...(from && { from }), ...(revision !== undefined && { revision }) })
      revision = page.revision
      for (const kv of page.items) {
        const resource = resourceOf(kv.key)
        if (resource) follower.put({ resource, entry: Entry.of(kv, resource.store.codec) })
      }
      const last = page.items.at(-1)
      if (!page.more || last === undefined) break
      from = `${last.key}\0`
    }
    if (closed) return
    follower.ready()
    watch = store.watch(prefix, revision, {
      events(events) {
        for (const event of events) {
          const kv = event.type === 'put' ? event.kv : event.previous
          const resource = kv && resourceOf(kv.key)
          if (kv === undefined || resource === undefined) continue
          const object = { resource, entry: Entry.of(kv, resource.store.codec) }
          if (event.type === 'put') follower.put(object)
          else follower.delete(object)
        }
      },
      progress() {},
      end: (error) => retry(error),
    })
  }

  function retry(error: unknown): void {
    if (closed) return
    logger.debug({ error: error instanceof Error ? error.message : undefined }, 'store watch of the controllers starts anew')
    cancelRetry = clock.after(retryAfter, () => void start().catch(retry))
  }

  start().catch(retry)
  return () => {
    closed = true
    cancelRetry()
    watch?.close()
  }
}
