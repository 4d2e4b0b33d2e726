import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { WatchableStore } from '../watch/feed.ts'
import { type Following, follow } from '../watch/follow.ts'
import { NodeGraph } from './node-graph.ts'
import { type LinkRow, linkRows } from './node-links.ts'

/** The graph, kept from what is stored since the first time that somebody needed it. */
export interface FollowedGraph {
  readonly graph: NodeGraph
  /** Undefined once the graph is complete; before, a promise of that, which never rejects. */
  complete(): Promise<void> | undefined
  close(): void
}

function followRow(graph: NodeGraph, { link }: LinkRow, store: WatchableStore, clock: Clock, platform: Platform): Following {
  const known = new Set<string>()
  const upsert = (key: string, object: ApiObject) => {
    const found = link(object, platform)
    if (found === undefined) known.delete(key)
    else known.add(key)
    graph.set(key, found)
  }
  const remove = (key: string) => {
    known.delete(key)
    graph.set(key, undefined)
  }
  return follow(store, clock, {
    replace(entries) {
      const gone = new Set(known)
      for (const entry of entries) {
        gone.delete(entry.key)
        upsert(entry.key, entry.decode())
      }
      for (const key of gone) remove(key)
    },
    change: ({ deleted, entry }) => (deleted ? remove(entry.key) : upsert(entry.key, entry.decode())),
  })
}

/** `storeOf` finds the objects of a resource, if it is served. Nothing is read before the first call of `complete`. */
export function followNodes(
  storeOf: (group: string, plural: string) => WatchableStore | undefined,
  clock: Clock,
  platform: Platform,
): FollowedGraph {
  const graph = new NodeGraph()
  let followings: readonly Following[] = []
  let pending: Promise<void> | undefined
  let done = false

  function start(): Promise<void> {
    followings = linkRows.flatMap((row) => {
      const store = storeOf(platform.name(row.group), row.plural)
      return store ? [followRow(graph, row, store, clock, platform)] : []
    })
    // A store that fails is tried again by whoever follows it; until then the graph has less, so that nodes may do less.
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
