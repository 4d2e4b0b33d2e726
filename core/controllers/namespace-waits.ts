/** Namespaces under deletion that wait for their content, such as pods that are being stopped, or objects with finalizers. */

import type { Subscription, WatchableStore } from '../objects/watch/feed.ts'
import type { Clock } from '../ports.ts'

/** Milliseconds until the first check; each one doubles it. */
const firstCheck = 500
const maxWait = 60_000

/** Objects of one resource that are left in a namespace. */
export interface Left {
  readonly store: WatchableStore
  /** Revision at which they were read. */
  readonly revision: number
  readonly keys: Set<string>
}

export interface Waits {
  /** Ends a namespace's wait: its content is read again now. */
  pause(name: string): void
  /** Calls `wake` once: after a while, longer each time, or when all objects of one resource are gone. */
  wait(name: string, left: readonly Left[], wake: () => void): void
  /** The namespace is gone. */
  forget(name: string): void
  /** Number of namespaces that wait. */
  readonly size: number
  close(): void
}

export function createWaits(clock: Clock): Waits {
  /** Milliseconds of the next wait. */
  const delays = new Map<string, number>()
  const ends = new Map<string, () => void>()

  function pause(name: string): void {
    ends.get(name)?.()
    ends.delete(name)
  }

  function subscribe(namespace: string, { store, revision, keys }: Left, wake: () => void): Subscription {
    return store.subscribe(
      revision,
      { namespace },
      {
        changes(changes) {
          for (const { deleted, entry } of changes) if (deleted) keys.delete(entry.key)
          if (keys.size > 0) return
          pause(namespace)
          delays.delete(namespace)
          wake()
        },
        progress() {},
        // The next check finds what is missed.
        end() {},
      },
    )
  }

  return {
    pause,
    wait(name, left, wake) {
      pause(name)
      const delay = delays.get(name) ?? firstCheck
      delays.set(name, Math.min(delay * 2, maxWait))
      const cancel = clock.after(delay, wake)
      const subscriptions = left.map((each) => subscribe(name, each, wake))
      ends.set(name, () => {
        cancel()
        for (const each of subscriptions) each.close()
      })
    },
    get size() {
      return ends.size
    },
    forget(name) {
      pause(name)
      delays.delete(name)
    },
    close() {
      for (const name of [...ends.keys()]) pause(name)
    },
  }
}
