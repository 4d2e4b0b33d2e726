/**
 * A KeyValueStore over an etcd v3 cluster (3.4 or later). One watch on the whole keyspace serves all watches of the port, so the cluster
 * should be dedicated to API servers. Values may be as large as the cluster's `--max-request-bytes` allows.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { untilAbortedLate } from '../../core/common/abort.ts'
import { append } from '../../core/common/lists.ts'
import { validateOptions } from '../../core/options/validate.ts'
import type { Clock, Context, KeyValue, KeyValueStore, ListOptions, Logger, SwapResult } from '../../core/ports.ts'
import { StoreError } from '../../core/ports.ts'
import type { SocketOptions } from '../wire/client/socket.ts'
import { coalesce } from './etcd/coalesce.ts'
import { oldestRevision } from './etcd/compacted.ts'
import { Endpoints } from './etcd/endpoints.ts'
import { storeError } from './etcd/errors.ts'
import { everything, rangeOf } from './etcd/keys.ts'
import { deleteRequest, putRequest, type RangeRequest, type ResponseHeader, rangeRequest } from './etcd/messages.ts'
import { Watches } from './etcd/watches.ts'
import { etcdRows } from './option-rows.ts'

export interface EtcdOptions extends SocketOptions {
  /** Such as `https://host:port`; tried in turn. */
  readonly servers: readonly string[]
  readonly clock: Clock
  readonly logger: Logger
  readonly timeouts?: EtcdTimeouts
}

/** Milliseconds. */
export interface EtcdTimeouts {
  /** Timeout of one operation; default ten seconds. */
  readonly request?: number
  /** Time until a read tries another member; default three seconds. */
  readonly attempt?: number
  /** Time to wait for the cluster at start; default one minute. */
  readonly start?: number
}

/** Page size of unlimited lists. */
const pageSize = 1_000
const retryStart = 500
/** Milliseconds that compaction and closing wait for lagging watches. */
const drainTimeout = 2_000

/**
 * Resolves when the cluster answers.
 * @throws StoreError `unavailable` or `timeout` when it does not in time; OptionError when an option is invalid or unknown.
 */
export async function openEtcdStore(options: EtcdOptions): Promise<KeyValueStore> {
  validateOptions('openEtcdStore', etcdRows, options, { required: ['servers', 'clock', 'logger'] })
  const { clock, logger, servers, timeouts: { request = 10_000, attempt = 3_000, start = 60_000 } = {} } = options
  const endpoints = Endpoints.open(servers, options, clock, logger, { request, attempt })
  const store = createStore(endpoints, clock, logger)
  for (const end = clock.monotonic() + start; ; ) {
    try {
      await store.currentRevision()
      return store
    } catch (error) {
      if (clock.monotonic() >= end) {
        await store.close()
        const { code, message } = storeError(error)
        throw new StoreError(code, `the store at ${servers.join()} does not respond: ${message}`)
      }
      await sleep(retryStart)
    }
  }
}

function createStore(endpoints: Endpoints, clock: Clock, logger: Logger): KeyValueStore {
  const pending = new Set<Promise<unknown>>()
  let newest = 0
  let cluster: bigint | undefined
  let closing: Promise<void> | undefined

  const known = () => Math.max(newest, watches.newest)

  /**
   * Checks the revision of a linearizable response to a request sent when `before` was known. A lower one, or another cluster id, means that
   * the data was replaced, such as by restoring a backup: all watch positions are then invalid.
   */
  function checkRevision({ revision, clusterId }: ResponseHeader, before: number): number {
    const replaced = cluster !== undefined && cluster !== clusterId
    if (replaced || revision < before) {
      logger.warn({ before, revision, replaced }, 'store revision went backwards (restored from a backup?)')
      watches.wentBack(replaced ? 0 : revision)
      newest = revision
    }
    cluster = clusterId
    if (revision > newest) newest = revision
    return revision
  }

  function range(request: RangeRequest, context: Context | undefined) {
    const message = rangeRequest(request)
    return endpoints.repeatable((client, call) => client.range(message, call), context)
  }

  /** Reads a key that does not exist: counting a range would walk it. */
  const nothing = rangeRequest({ key: everything })

  const revisionNow = coalesce(() =>
    during(async () => {
      const before = known()
      const { header } = await endpoints.repeatable((client, call) => client.range(nothing, { ...call, urgent: true }))
      return checkRevision(header, before)
    }),
  )

  const watches: Watches = new Watches(endpoints, clock, logger, revisionNow)

  /** Counts calls in flight, so that `close` can wait for them. */
  function during<T>(run: () => Promise<T>): Promise<T> {
    if (closing) return Promise.reject(new StoreError('unavailable', 'the store is closed'))
    const done = run()
    pending.add(done)
    const forget = () => pending.delete(done)
    done.then(forget, forget)
    return done
  }

  /** Adds the oldest available revision to the error of a read at a compacted one. */
  async function reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'compacted' || error.revision !== undefined) throw error
      throw new StoreError('compacted', error.message, await endpoints.repeatable(oldestRevision))
    }
  }

  async function list({ prefix, from, limit = 0, revision = 0 }: ListOptions, context: Context | undefined) {
    const items: KeyValue[] = []
    let at = revision
    let start = from
    for (;;) {
      const wanted = limit === 0 ? pageSize : limit - items.length
      const page = { ...rangeOf(prefix, start), limit: Math.min(wanted, pageSize), revision: at }
      const { kvs, more, count, header } = await range(page, context)
      at ||= header.revision
      append(items, kvs)
      if (!more || items.length === limit) return { items, more, remaining: count - kvs.length, revision: at }
      start = `${kvs.at(-1)?.key}\0`
    }
  }

  async function swap(request: Uint8Array, context: Context | undefined): Promise<SwapResult> {
    const before = known()
    const { header, succeeded, current } = await endpoints.once((client, call) => client.txn(request, call), context)
    const revision = checkRevision(header, before)
    return succeeded ? { ok: true, revision } : { ok: false, revision, ...(current && { current }) }
  }

  async function compact(revision: number): Promise<void> {
    // Let the watches of this process catch up first, so that compaction does not end them.
    await watches.reached(revision, drainTimeout)
    try {
      await endpoints.repeatable((client, call) => client.compact(revision, call))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'compacted') throw error
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(pending)
    await watches.reached(newest, drainTimeout)
    watches.close()
    endpoints.close()
  }

  return {
    get: (key, revision = 0, context) =>
      during(async () => {
        const before = known()
        const { header, kvs } = await reading(() => range({ key: Buffer.from(key), revision }, context))
        const [kv] = kvs
        const current = checkRevision(header, before)
        return { ...(kv && { kv }), revision: revision || current }
      }),
    list: (options, context) => during(() => reading(() => list(options, context))),
    count: (prefix) => during(async () => (await range({ ...rangeOf(prefix), countOnly: true }, undefined)).count),
    size: () => during(() => endpoints.repeatable((client, call) => client.size(call))),
    // Encoded once for all members that are tried.
    put: (key, value, expected, lease = 0n, guards = [], context) =>
      during(() => swap(putRequest(key, value, expected, lease, guards), context)),
    delete: (key, expected, context) => during(() => swap(deleteRequest(key, expected), context)),
    watch: (prefix, after, watcher, options) => watches.watch(prefix, after, watcher, options),
    // Shared by many requests, and sent again and again: one that is given up stops waiting, and the call lasts at most its own timeout.
    currentRevision: (context) => (context === undefined ? revisionNow() : untilAbortedLate(revisionNow(), context, clock)),
    compact: (revision) => during(() => compact(revision)),
    grantLease: (seconds) => during(() => endpoints.repeatable((client, call) => client.grantLease(seconds, call))),
    close() {
      closing ??= close()
      return closing
    },
  }
}
