/** Follows all objects of a resource: the current ones, then every change, across lost watches (as an informer does). */
import type { Clock } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import { eachInSlices, Pauses } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import type { Change } from './change.ts'
import type { Subscription, WatchableStore } from './feed.ts'

export interface Follower {
  /** All current objects; called again after a lost watch. Changes follow when a returned promise has resolved. */
  replace(entries: readonly Entry[]): void | Promise<void>
  /**
   * Called before `replace` with each stored value that can't be read, and the reason: the list is then without it, and is repeated every
   * second, because the resource can't be watched. Absent: nothing is reported until all values can be read.
   */
  unreadable?(key: string, why: string): void
  change(change: Change): void
}

export interface Following {
  /** Resolves after the first `replace`. */
  readonly ready: Promise<void>
  close(): void
}

const retryAfter = 1_000
const neverAborted = new AbortController().signal

/** `namespace`: the only one to follow; default: all. */
export function follow(store: WatchableStore, clock: Clock, follower: Follower, namespace = ''): Following {
  let closed = false
  let subscription: Subscription | undefined
  let cancelRetry = () => {}

  async function start(): Promise<void> {
    const unreadable = follower.unreadable && ((key: string, why: string) => follower.unreadable?.(key, why))
    const { entries, revision } = await store.list({ namespace, ...(unreadable && { unreadable }) })
    if (closed) return
    await follower.replace(entries)
    if (closed) return
    subscription = store.subscribe(
      revision,
      { namespace },
      {
        changes(changes) {
          for (const change of changes) if (change.revision > revision) follower.change(change)
        },
        progress() {},
        end: retry,
      },
    )
  }

  function retry(): void {
    if (closed) return
    cancelRetry = clock.after(retryAfter, () => start().catch(retry))
  }

  const ready = start()
  ready.catch(retry)
  return {
    ready,
    close() {
      closed = true
      cancelRetry()
      subscription?.close()
    },
  }
}

/** Receives objects by key, without regard to how they changed. They are shared with others, and must not be changed. */
export interface ObjectFollower {
  upsert(key: string, object: ApiObject): void
  remove(key: string): void
}

/** Follows decoded objects, the current ones in time slices; objects deleted during a lost watch are reported as removed. `namespace`: the only one; default: all. */
export function followObjects(store: WatchableStore, clock: Clock, follower: ObjectFollower, namespace = ''): Following {
  const known = new Set<string>()
  const pauses = new Pauses(clock)
  const remove = (key: string) => {
    known.delete(key)
    follower.remove(key)
  }
  const upsert = (entry: Entry) => {
    known.add(entry.key)
    follower.upsert(entry.key, entry.object)
  }
  const changes: Follower = {
    async replace(entries) {
      const gone = new Set(known)
      const slices = pauses.fairSlices(() => neverAborted)
      await eachInSlices(entries, slices, (entry) => {
        gone.delete(entry.key)
        upsert(entry)
      })
      for (const key of gone) remove(key)
    },
    change: ({ deleted, entry }) => (deleted ? remove(entry.key) : upsert(entry)),
  }
  return follow(store, clock, changes, namespace)
}
