/** Follows all objects of a resource: the current ones, then every change, across lost watches (as an informer does). */

import type { MaybePromise } from '../../common/maybe-promise.ts'
import { eachInSlices, Pauses } from '../../common/slices.ts'
import type { Clock } from '../../ports.ts'
import type { ObjectRef } from '../storage/keys.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import type { Change } from './change.ts'
import type { Subscription, WatchableStore } from './feed.ts'

/** What a follower wants to know. Objects are shared with others, and must not be changed. */
export interface Follower {
  /** Each current object, in time slices, and each that is written from then on; all of them again after a lost watch. */
  upsert?(entry: StoredObject): void
  /** Each object that is gone, also during a lost watch; for that, all objects are remembered by their keys. */
  remove?(object: ObjectRef): void
  /** All current objects are told: at first, and after a lost watch. */
  listed?(): void
  /** Each change after that, with the object before it. Those during a lost watch are not told. */
  change?(change: Change): void
  /**
   * Each stored value that can't be read, and the reason, before the objects: the list is then without it, and is repeated every second, because
   * the resource can't be watched. Absent: nothing is told until all values can be read.
   */
  unreadable?(object: ObjectRef, why: string): void
}

export interface Following {
  /** Resolves when all current objects are told. Rejects with a StoreError, or when a value can't be read; the list is then repeated. */
  readonly ready: MaybePromise<void>
  close(): void
}

/** One that reads the objects. */
export interface BegunFollowing extends Following {
  readonly ready: Promise<void>
}

const retryAfter = 1_000

/** `namespace`: the only one to follow; default: all. */
export function follow(store: WatchableStore, clock: Clock, follower: Follower, namespace = ''): BegunFollowing {
  let closed = false
  let subscription: Subscription | undefined
  let cancelRetry = () => {}
  const pauses = new Pauses(clock)
  /** Keys that `remove` has to be called for some time. */
  const known = new Set<string>()

  function there(entry: StoredObject): void {
    if (follower.remove) known.add(entry.key)
    follower.upsert?.(entry)
  }

  const refOf = (key: string): ObjectRef => ({ key, ...store.keys.parse(key) })

  function gone(object: ObjectRef): void {
    known.delete(object.key)
    follower.remove?.(object)
  }

  async function start(): Promise<void> {
    const left = new Set(known)
    const skip = (key: string, why: string) => {
      left.delete(key)
      known.add(key)
      follower.unreadable?.(refOf(key), why)
    }
    const { entries, revision } = await store.list({ namespace, ...(follower.unreadable && { unreadable: skip }) })
    if (closed) return
    if (follower.upsert) {
      const slices = pauses.fairSlices()
      await eachInSlices(entries, slices, (entry) => {
        left.delete(entry.key)
        there(entry)
      })
    }
    if (closed) return
    for (const key of left) gone(refOf(key))
    follower.listed?.()
    subscription = store.subscribe(
      revision,
      { namespace },
      {
        changes(changes) {
          for (const change of changes) {
            if (change.revision <= revision) continue
            follower.change?.(change)
            if (change.deleted) gone(change.entry)
            else there(change.entry)
          }
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

/** Closes all of these. */
export const closing = (parts: Iterable<{ close(): void }>) => (): void => {
  for (const part of parts) part.close()
}
