import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { WatchableStore } from '../../objects/watch/feed.ts'
import { type Following, follow } from '../../objects/watch/follow.ts'
import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import { type Link, NodeGraph } from './node-graph.ts'
import { linkRows } from './node-links.ts'

/** The node graph, kept current with the stored objects from the first use on. */
export interface FollowedGraph {
  readonly graph: NodeGraph
  /** Undefined once the graph is complete; before that a promise, which never rejects. */
  complete(): Promise<void> | undefined
  close(): void
}

/**
 * `storeOf` finds the store of a resource, if it is served. Nothing is read before the first call of `complete`. `changed` is told each change of
 * the graph, as `AddPod`, and how long it took.
 */
export function followNodes(
  storeOf: (group: string, plural: string) => WatchableStore | undefined,
  clock: Clock,
  platform: Platform,
  changed: (operation: string, milliseconds: number) => void,
): FollowedGraph {
  const graph = new NodeGraph()
  let followings: readonly Following[] = []
  let pending: Promise<void> | undefined
  let done = false

  function start(): Promise<void> {
    followings = linkRows.flatMap((row) => {
      const store = storeOf(platform.name(row.group), row.plural)
      if (store === undefined) return []
      const set = (operation: string, key: string, link: Link | undefined) => {
        const began = clock.monotonic()
        graph.set(key, link)
        changed(`${operation}${row.counted}`, clock.monotonic() - began)
      }
      const upsert = ({ key, object }: StoredObject) => set('Add', key, row.link(object, platform))
      return [follow(store, clock, { upsert, remove: ({ key }) => set('Delete', key, undefined) })]
    })
    // A store that fails is retried in the background. Until then links are missing, which only denies more.
    return Promise.allSettled(followings.map(({ ready }) => ready)).then(() => {
      done = true
    })
  }

  return {
    graph,
    complete() {
      if (done) return undefined
      pending ??= start()
      return pending
    },
    close() {
      for (const each of followings) each.close()
    },
  }
}
