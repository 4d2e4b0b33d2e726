/** A KeyValueStore on the client `etcd3`, which shares no code with ours: for the store suite. */
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js'
import type { IKeyValue, IResponseHeader, IWatchResponse } from 'etcd3'
import {
  type KeyValue,
  type KeyValueStore,
  type ListOptions,
  StoreError,
  type StoreEvent,
  type StoreWatch,
  type StoreWatcher,
  type SwapResult,
} from '../../../core/ports.ts'
import { storeError } from '../../../runtimes/stores/etcd/errors.ts'
import { sleep } from '../../support/wait.ts'
import { connect, watch } from './history-clients.ts'

const everything = Buffer.from([0])
/** Milliseconds after which progress is asked for again: a watch that is behind has no answer. */
const progressInterval = 10

function rangeOf(prefix: string, from = prefix) {
  const end = Buffer.from(prefix)
  if (end.length > 0) end[end.length - 1]! += 1
  return { key: from === '' ? everything : Buffer.from(from), range_end: prefix === '' ? everything : end }
}

const kvOf = ({ key, value, create_revision, mod_revision }: IKeyValue): KeyValue => ({
  key: String(key),
  value: new Uint8Array(value),
  createRevision: Number(create_revision),
  modRevision: Number(mod_revision),
})

const failed = (error: unknown) => Promise.reject(storeError(error))

class Watch implements StoreWatch {
  readonly #stream: ClientDuplexStream<object, IWatchResponse>
  readonly #current: () => Promise<number>
  readonly #after: number
  readonly #watcher: StoreWatcher
  /** Revisions that progress is asked for. */
  readonly #asked: number[] = []
  #reached = 0
  #isClosing = false
  #isOver = false
  #asking: NodeJS.Timeout | undefined

  constructor(client: Client, current: () => Promise<number>, prefix: string, after: number, watcher: StoreWatcher) {
    this.#after = after
    this.#current = current
    this.#watcher = watcher
    this.#stream = client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', watch.requestSerialize, watch.responseDeserialize)
    this.#stream.on('data', (response: IWatchResponse) => this.#take(response))
    this.#stream.on('error', (error) => this.#end(storeError(error)))
    this.#stream.write({ create_request: { ...rangeOf(prefix), start_revision: String(after + 1), prev_kv: true } })
  }

  /** Progress that was asked for is told first. */
  close(): void {
    this.#isClosing = true
    if (this.#asked.length === 0) this.cut()
  }

  /** Resolves when all events up to a revision have come, or the watch is over. */
  async reaches(revision: number): Promise<void> {
    while (this.#reached < revision && revision > this.#after && !this.#isOver) {
      this.#stream.write({ progress_request: {} })
      await sleep(progressInterval)
    }
  }

  cut(): void {
    setImmediate(() => this.#end())
  }

  requestProgress(to = 0): void {
    this.#asked.push(to)
    this.#asking ??= setInterval(() => this.#ask(), progressInterval)
  }

  /** etcd tells no progress to a watch from a future revision on, which misses nothing until then: asked until that is the current one. */
  #ask(): void {
    this.#stream.write({ progress_request: {} })
    this.#current().then(
      (revision) => {
        if (revision === this.#after && !this.#isOver) this.#progress(revision)
      },
      () => {},
    )
  }

  #take({ header, created, canceled, compact_revision: compacted, events }: IWatchResponse): void {
    if (this.#isOver) return
    if (!created && !canceled) this.#reached = Number(header.revision)
    if (canceled) this.#end(new StoreError('compacted', 'required revision has been compacted', Number(compacted)))
    else if (events.length > 0) {
      if (!this.#isClosing) this.#watcher.events(events.map(eventOf))
    } else if (!created) this.#progress(Number(header.revision))
  }

  #progress(revision: number): void {
    for (const to of this.#asked.splice(0)) {
      if (to > revision) this.#asked.push(to)
      else this.#watcher.progress(revision)
    }
    if (this.#asked.length > 0) return
    clearInterval(this.#asking)
    this.#asking = undefined
    if (this.#isClosing) this.#end()
  }

  #end(error?: StoreError): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#asking)
    this.#stream.cancel()
    this.#watcher.end(error)
  }
}

function eventOf({ type, kv, prev_kv }: IWatchResponse['events'][number]): StoreEvent {
  const previous = prev_kv ? { previous: kvOf(prev_kv) } : {}
  if (type === 'Put') return { type: 'put', kv: kvOf(kv), ...previous }
  return { type: 'delete', key: String(kv.key), revision: Number(kv.mod_revision), ...previous }
}

export function etcd3Store(url: string): KeyValueStore {
  const client = connect(url)
  const streams = new Client(new URL(url).host, credentials.createInsecure())
  const watches: Watch[] = []
  const pending = new Set<Promise<unknown>>()
  let isClosed = false
  let newest = 0
  /** Calls end before the client does. */
  const during = <T>(call: () => Promise<T>): Promise<T> => {
    if (isClosed) return failed(new Error('the store is closed'))
    const done = call()
    pending.add(done)
    return done.finally(() => pending.delete(done))
  }
  const revisionOf = ({ header }: { readonly header: IResponseHeader }) => Number(header.revision)

  /** etcd tells the oldest revision to a watch from the beginning only. */
  const oldest = () =>
    new Promise<number | undefined>((resolve) => {
      const watching = new Watch(streams, currentRevision, '', 0, { events() {}, progress() {}, end: (error) => resolve(error?.revision) })
      watches.push(watching)
    })
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await during(call)
    } catch (thrown) {
      const error = storeError(thrown)
      throw error.code === 'compacted' ? new StoreError('compacted', error.message, await oldest()) : error
    }
  }
  const swap = async (key: string, expected: number, guards: readonly { key: string; revision: number }[], request: object) => {
    const compare = [{ key, revision: expected }, ...guards].map(({ key, revision }) => ({
      key: Buffer.from(key),
      target: 'Mod' as const,
      result: 'Equal' as const,
      mod_revision: String(revision),
    }))
    const failure = [{ request_range: { key: Buffer.from(key) } }]
    const answer = await during(() => client.kv.txn({ compare, success: [request], failure })).catch(failed)
    const [current] = answer.responses[0]?.response_range?.kvs ?? []
    const revision = revisionOf(answer)
    newest = Math.max(newest, revision)
    const result: SwapResult = answer.succeeded
      ? { ok: true, revision }
      : { ok: false, revision, ...(current && { current: kvOf(current) }) }
    return result
  }
  const currentRevision = async () => revisionOf(await during(() => client.kv.range({ key: everything })).catch(failed))
  return {
    async get(key, revision = 0) {
      const answer = await read(() => client.kv.range({ key: Buffer.from(key), revision: String(revision) }))
      const [kv] = answer.kvs
      return { ...(kv && { kv: kvOf(kv) }), revision: revision || revisionOf(answer) }
    },
    async list({ prefix, from, limit = 0, revision = 0 }: ListOptions) {
      const answer = await read(() => client.kv.range({ ...rangeOf(prefix, from), limit: String(limit), revision: String(revision) }))
      const remaining = answer.more ? Number(answer.count) - answer.kvs.length : 0
      return { items: answer.kvs.map(kvOf), more: answer.more, remaining, revision: revision || revisionOf(answer) }
    },
    count: async (prefix) => Number((await client.kv.range({ ...rangeOf(prefix), count_only: true }).catch(failed)).count),
    size: async () => Number((await client.maintenance.status().catch(failed)).dbSize),
    put: (key, value, expected, lease = 0n, guards = []) =>
      swap(key, expected, guards, { request_put: { key: Buffer.from(key), value: Buffer.from(value), lease: String(lease) } }),
    delete: (key, expected) => swap(key, expected, [], { request_delete_range: { key: Buffer.from(key) } }),
    watch(prefix, after, watcher) {
      const watching = new Watch(streams, currentRevision, prefix, after, watcher)
      watches.push(watching)
      return watching
    },
    currentRevision,
    async compact(revision) {
      await client.kv.compact({ revision: String(revision), physical: true }).catch((thrown) => {
        const error = storeError(thrown)
        if (error.code !== 'compacted') throw error
      })
    },
    grantLease: async (seconds) => BigInt((await client.leaseClient.leaseGrant({ TTL: String(seconds) }).catch(failed)).ID),
    async close() {
      isClosed = true
      await Promise.allSettled(pending)
      await Promise.all(watches.map((watching) => watching.reaches(newest)))
      for (const watching of watches) watching.cut()
      await new Promise((resolve) => setImmediate(resolve))
      streams.close()
      client.close()
    },
  }
}
