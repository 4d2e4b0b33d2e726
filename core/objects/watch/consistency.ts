/** Compares a watch cache with the store at intervals (feature gate DetectCacheInconsistency, KEP-4988; apiserver, storage/cacher/delegator.go). */

import type { Slices } from '../../common/slices.ts'
import type { Clock, KeyValueStore, Logger } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { ConsistencyStatus } from '../storage/metrics.ts'

/** Milliseconds between checks, from the end of one to the next; a random share of up to half is added, so that not all resources come at once. */
const period = 5 * 60_000
const jitter = 0.5
/** Keys of the store that are read with one request. */
const pageSize = 10_000

/** What identifies an object's state. */
interface State {
  readonly key: string
  readonly revision: number
}

export interface ConsistencyOptions {
  readonly store: KeyValueStore
  /** Start of the keys of all objects. */
  readonly prefix: string
  readonly resource: string
  readonly clock: Clock
  readonly logger: Logger
  /** A copy of what the cache has, and its revision; undefined: it is not loaded. */
  read(): { readonly entries: readonly State[]; readonly revision: number } | undefined
  /** Time slices for a whole check. */
  slices(): Slices
  /** A check has ended. */
  checked(status: ConsistencyStatus): void
}

/** A state that one side has and the other has not. */
interface Difference {
  readonly cached?: State | undefined
  readonly stored?: State
}

async function compare({ store, prefix, read, slices }: ConsistencyOptions): Promise<{ revision: number; difference?: Difference }> {
  const cached = read()
  if (cached === undefined) throw new Error('the watch cache is not loaded')
  const { entries, revision } = cached
  const own = slices()
  // By key, as the order of the store's keys is that of their bytes.
  const left = new Map<string, State>()
  for (const entry of entries) {
    if (own.over) await own.next()
    left.set(entry.key, entry)
  }
  let from: string | undefined
  for (;;) {
    const page = await store.list({ prefix, limit: pageSize, revision, ...(from !== undefined && { from }) })
    for (const { key, modRevision } of page.items) {
      if (own.over) await own.next()
      const entry = left.get(key)
      if (entry?.revision !== modRevision)
        return { revision, difference: { cached: entry && stateOf(entry), stored: { key, revision: modRevision } } }
      left.delete(key)
    }
    const last = page.items.at(-1)
    if (!page.more || last === undefined) break
    from = `${last.key}\0`
  }
  const [other] = left.values()
  return other ? { revision, difference: { cached: stateOf(other) } } : { revision }
}

const stateOf = ({ key, revision }: State): State => ({ key, revision })

/** Starts the checks, of which the first comes after one period. The returned function stops them. */
export function startConsistencyChecks(options: ConsistencyOptions): () => void {
  const { clock, logger, resource, checked } = options
  let stopped = false
  let cancel = () => {}

  async function check(): Promise<void> {
    let status: ConsistencyStatus
    try {
      const { revision, difference } = await compare(options)
      status = difference ? 'failure' : 'success'
      if (difference && !stopped) logger.error({ resource, revision, ...difference }, 'watch cache differs from the store')
    } catch (error) {
      status = 'error'
      if (!stopped) logger.error({ resource, error: messageOf(error) }, 'watch cache could not be compared with the store')
    }
    if (stopped) return
    checked(status)
    schedule()
  }

  function schedule(): void {
    cancel = clock.after(period * (1 + Math.random() * jitter), () => void check())
  }

  schedule()
  return () => {
    stopped = true
    cancel()
  }
}
