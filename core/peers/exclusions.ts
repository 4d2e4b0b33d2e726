/** Group versions that no other server is asked for (apiserver/pkg/util/peerproxy/gv_exclusion_manager.go). */
import type { Clock } from '../ports.ts'

/** Calls `changed` with each object now and when it changes, and its group versions: none when it is removed. The returned function ends that. */
export type GroupVersionSource = (changed: (name: string, groupVersions: readonly string[]) => void) => () => void

export interface Exclusions {
  /** Increased by every change. */
  readonly revision: number
  /** `groupVersion`: `GROUP/VERSION`. */
  has(groupVersion: string): boolean
  close(): void
}

/** Milliseconds for which a group version stays excluded when nothing defines it any more: other servers may still say that they serve it. */
const gracePeriod = 300_000

/**
 * Group versions of custom resources and of aggregated servers. All servers of a cluster have the same ones, and follow their definitions; what
 * another server said about them when it was asked is older.
 */
export function createExclusions(sources: readonly GroupVersionSource[], clock: Pick<Clock, 'after'>): Exclusions {
  /** Number of objects that define each one. */
  const defined = new Map<string, number>()
  /** Those that nothing defines any more, with the function that cancels their end. */
  const leaving = new Map<string, () => void>()
  let revision = 0

  function add(groupVersion: string): void {
    const before = defined.get(groupVersion) ?? 0
    defined.set(groupVersion, before + 1)
    if (before > 0) return
    revision++
    leaving.get(groupVersion)?.()
    leaving.delete(groupVersion)
  }

  function drop(groupVersion: string): void {
    const left = (defined.get(groupVersion) ?? 0) - 1
    if (left > 0) return void defined.set(groupVersion, left)
    defined.delete(groupVersion)
    const cancel = clock.after(gracePeriod, () => {
      leaving.delete(groupVersion)
      revision++
    })
    leaving.set(groupVersion, cancel)
  }

  const stops = sources.map((follow) => {
    const known = new Map<string, readonly string[]>()
    return follow((name, groupVersions) => {
      const before = known.get(name) ?? []
      known.set(name, groupVersions)
      if (groupVersions.length === 0) known.delete(name)
      for (const each of groupVersions) add(each)
      for (const each of before) drop(each)
    })
  })

  return {
    get revision() {
      return revision
    },
    has: (groupVersion) => defined.has(groupVersion) || leaving.has(groupVersion),
    close() {
      for (const stop of stops) stop()
      for (const cancel of leaving.values()) cancel()
    },
  }
}
