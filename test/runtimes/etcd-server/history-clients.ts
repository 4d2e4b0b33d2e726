/** Clients of etcd's API that record what they do and see, while the server may fail. */
import { createRequire } from 'node:module'
import { Client, credentials } from '@grpc/grpc-js'
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader'
import { Etcd3, type IKeyValue, type IWatchResponse } from 'etcd3'
import type { Change, Commit, Read, Told, Values, Written } from '../../support/etcd-history.ts'
import { randomNumbers } from '../../support/random.ts'
import { sleep } from '../../support/wait.ts'

const keys = ['k/0', 'k/1', 'k/2', 'k/3', 'k/4', 'k/5']
const whole = { key: Buffer.from('k/'), range_end: Buffer.from('k0') }
/** The watch's codec of etcd3, whose own client hands a stream over after it may have failed. */
const protocol = createRequire(import.meta.url).resolve('etcd3/proto/rpc.proto')
const { Watch } = loadSync(protocol, { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true })[
  'etcdserverpb.Watch'
] as ServiceDefinition
export const watch = Watch as unknown as MethodDefinition<object, IWatchResponse>

/** Makes values so large that a disk without room is full soon. */
const padding = 'x'.repeat(2_000)
const pass = { execute: (run: (context: object) => unknown) => run({}) }

/** A client without retries: each answer is that of one call. */
export const connect = (url: string) =>
  new Etcd3({
    hosts: url,
    defaultCallOptions: () => ({ deadline: Date.now() + 30_000 }),
    faultHandling: { host: () => pass as never, global: pass as never },
  })

const valuesOf = (kvs: readonly IKeyValue[]): Values => new Map(kvs.map(({ key, value }) => [String(key), labelOf(value)]))
const labelOf = (value: Buffer) => String(value).replace(padding, '')
const bytesOf = (value: string) => Buffer.from(value + padding)
const answers = ({ message }: Error) => /OutOfRange|compacted|future|not found/i.test(message)

export class Clients {
  readonly written: Written[] = []
  readonly reads: Read[] = []
  readonly tried = new Set<string>()
  /** Number of failed calls, and of compactions. */
  failed = 0
  compactions = 0
  /** Revisions of compactions, which may have failed. */
  readonly compacted = new Set<number>()
  /** No compaction beyond this revision. */
  needed = 1
  #compacted = 0
  #stopped = false
  #next = 0
  readonly #url: string
  readonly #running: Promise<unknown>

  constructor(url: string, count: number) {
    this.#url = url
    this.#running = Promise.all(Array.from({ length: count }, (_, client) => this.#run(client)))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(number: number): Promise<void> {
    const random = randomNumbers(number)
    let client = connect(this.#url)
    while (!this.#stopped) {
      const key = random.pick(keys)
      const act = random.pick([
        this.#put,
        this.#put,
        this.#txn,
        this.#txn,
        this.#delete,
        this.#read,
        this.#readPast,
        this.#lease,
        this.#compact,
      ])
      try {
        await act.call(this, client, key, random.pick(keys))
      } catch (error) {
        if (answers(error as Error)) continue
        this.failed++
        client.close()
        client = connect(this.#url)
        await sleep(20)
      }
    }
    client.close()
  }

  #value(): string {
    const value = `v${this.#next++}`
    this.tried.add(value)
    return value
  }

  #wrote(begin: number, revision: string, puts: readonly (readonly [string, string])[], deletes: readonly string[] = []): void {
    this.written.push({ begin, end: performance.now(), revision: Number(revision), puts: new Map(puts), deletes })
  }

  #sawAll(begin: number, revision: string, kvs: readonly IKeyValue[], of?: number): void {
    this.reads.push({ begin, end: performance.now(), revision: Number(revision), values: valuesOf(kvs), ...(of !== undefined && { of }) })
  }

  async #put(client: Etcd3, key: string): Promise<void> {
    const [begin, value] = [performance.now(), this.#value()]
    const { header } = await client.kv.put({ key: Buffer.from(key), value: bytesOf(value) })
    this.#wrote(begin, header.revision, [[key, value]])
  }

  /** Puts two keys if one of them exists and has an even version; otherwise reads everything. */
  async #txn(client: Etcd3, key: string, other: string): Promise<void> {
    const [begin, first, second] = [performance.now(), this.#value(), this.#value()]
    const puts =
      key === other
        ? [[key, first] as const]
        : ([
            [key, first],
            [other, second],
          ] as const)
    const current = await client.kv.range({ key: Buffer.from(key) })
    const { header, succeeded, responses } = await client.kv.txn({
      compare: [{ key: Buffer.from(key), target: 'Mod', result: 'Equal', mod_revision: current.kvs[0]?.mod_revision ?? '0' }],
      success: puts.map(([name, value]) => ({ request_put: { key: Buffer.from(name), value: bytesOf(value) } })),
      failure: [{ request_range: whole }],
    })
    if (succeeded) this.#wrote(begin, header.revision, puts)
    else this.#sawAll(begin, header.revision, responses[0]?.response_range?.kvs ?? [])
  }

  async #delete(client: Etcd3, key: string): Promise<void> {
    const begin = performance.now()
    const { header, deleted } = await client.kv.deleteRange({ key: Buffer.from(key) })
    if (deleted !== '0') this.#wrote(begin, header.revision, [], [key])
  }

  async #read(client: Etcd3): Promise<void> {
    const begin = performance.now()
    const { header, kvs } = await client.kv.range(whole)
    this.#sawAll(begin, header.revision, kvs)
  }

  async #readPast(client: Etcd3): Promise<void> {
    const begin = performance.now()
    const of = Math.max(1, (this.written.at(-1)?.revision ?? 1) - 5)
    const { header, kvs } = await client.kv.range({ ...whole, revision: String(of) })
    this.#sawAll(begin, header.revision, kvs, of)
  }

  /** A key with a lease, which is revoked: the key is deleted, if it still has the lease. */
  async #lease(client: Etcd3, key: string): Promise<void> {
    const { ID } = await client.leaseClient.leaseGrant({ TTL: 600 })
    const [begin, value] = [performance.now(), this.#value()]
    const { header } = await client.kv.put({ key: Buffer.from(key), value: bytesOf(value), lease: ID })
    this.#wrote(begin, header.revision, [[key, value]])
    await client.leaseClient.leaseRevoke({ ID })
  }

  async #compact(client: Etcd3): Promise<void> {
    const revision = this.needed - 30
    if (revision < this.#compacted + 20) return
    this.#compacted = revision
    this.compacted.add(revision)
    await client.kv.compact({ revision: String(revision) })
    this.compactions++
  }
}

function changeOf(event: IWatchResponse['events'][number]): Change {
  const { type, kv, prev_kv: previous } = event
  return {
    key: String(kv.key),
    ...(type === 'Put' && { value: labelOf(kv.value) }),
    version: Number(kv.version),
    createRevision: Number(kv.create_revision),
    previous: previous ? labelOf(previous.value) : undefined,
  }
}

/** A watch of all keys from a revision on, which continues after the last event whenever its server fails. */
export class Watching implements Told {
  readonly from: number
  readonly commits: Commit[] = []
  readonly progress: { readonly revision: number; readonly after: number }[] = []
  /** Of a watch whose beginning was compacted. */
  compactRevision = 0
  /** Number of times that it was opened. */
  opened = 0
  #stopped = false
  #cancel = () => {}
  readonly #running: Promise<void>

  constructor(url: string, from: number) {
    this.from = from
    this.#running = this.#run(url)
  }

  get reached(): number {
    return this.commits.at(-1)?.revision ?? this.from - 1
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#running
  }

  async #run(url: string): Promise<void> {
    while (!this.#stopped && this.compactRevision === 0) {
      const client = new Client(new URL(url).host, credentials.createInsecure())
      await this.#follow(client)
      client.close()
      await sleep(20)
    }
  }

  async #follow(client: Client): Promise<void> {
    const stream = client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', watch.requestSerialize, watch.responseDeserialize)
    this.opened++
    const ended = new Promise<void>((resolve) => {
      this.#cancel = () => {
        stream.cancel()
        resolve()
      }
      stream.on('error', () => resolve())
      stream.on('end', () => resolve())
    })
    stream.on('data', (response: IWatchResponse) => this.#take(response))
    const create_request = { ...whole, start_revision: String(this.reached + 1), prev_kv: true, progress_notify: true }
    stream.write({ create_request })
    const ask = setInterval(() => stream.write({ progress_request: {} }), 50)
    await ended
    clearInterval(ask)
  }

  #take({ header, created, canceled, compact_revision: compacted, events }: IWatchResponse): void {
    if (canceled) {
      this.compactRevision = Number(compacted)
      this.#cancel()
    } else if (events.length === 0) {
      if (!created) this.progress.push({ revision: Number(header.revision), after: this.commits.length })
    } else {
      // A revision that two responses have becomes two commits, which is a problem.
      const revisions = new Set(events.map(({ kv }) => Number(kv.mod_revision)))
      for (const revision of revisions)
        this.commits.push({ revision, changes: events.filter(({ kv }) => Number(kv.mod_revision) === revision).map(changeOf) })
    }
  }
}
