/** Random watches of our server and of etcd, between random calls to both: the same events, in the same order, and the same ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js'
import { Etcd3, type IWatchResponse } from 'etcd3'
import { startEtcd } from '../../support/etcd.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'
import { type RandomNumbers, randomNumbers } from '../../support/random.ts'
import { progress, trials } from '../../support/soak.ts'
import { eventually } from '../../support/wait.ts'
import { watch } from './history-clients.ts'
import { endOf, keys, near, outcome, pick, shown, some, stepOf } from './random-calls.ts'

const steps = trials(1_000, 30_000)
/** Watches of a stream: later ones come on another one. */
const watchesOfStream = 30

type Requests = ClientDuplexStream<object, IWatchResponse>

/** What came on a stream, by watch; responses are cut into events, because their sizes are a matter of timing. */
class Stream {
  readonly #client: Client
  readonly #requests: Requests
  readonly told = new Map<string, unknown[]>()
  /** Revision of the last notification of progress that was asked for. */
  progress = 0

  constructor(address: string) {
    this.#client = new Client(address.replace('http://', ''), credentials.createInsecure())
    this.#requests = this.#client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', watch.requestSerialize, watch.responseDeserialize)
    this.#requests.on('data', (response: IWatchResponse) => this.#take(response))
    this.#requests.on('error', (error: Error) => this.#note('the stream', error.message))
  }

  get isWatching(): boolean {
    return [...this.told.values()].some((told) => told[0] === 'created' && !Array.isArray(told.at(-1)))
  }

  send(request: object): void {
    this.#requests.write(request)
  }

  close(): void {
    this.#requests.cancel()
    this.#client.close()
  }

  #note(id: string, what: unknown): void {
    const told = this.told.get(id) ?? []
    told.push(what)
    this.told.set(id, told)
  }

  #take({ header, watch_id: id, created, canceled, cancel_reason: reason, compact_revision: compacted, events }: IWatchResponse): void {
    if (created) this.#note(id, canceled ? ['created', 'canceled', reason] : 'created')
    else if (canceled) this.#note(id, ['canceled', reason, compacted])
    else if (id === '-1' && events.length === 0) this.progress = Number(header.revision)
    for (const event of events) this.#note(id, JSON.parse(JSON.stringify(event)))
  }
}

const isCreated = (each: unknown) => each === 'created' || (Array.isArray(each) && each[0] === 'created')

const createOf = (random: RandomNumbers, revision: number) => ({
  create_request: {
    key: pick(random, keys),
    ...endOf(random),
    ...some(random, 0.6, () => ({ start_revision: random.chance(0.2) ? String(revision + random.integer(4)) : near(random, revision) })),
    ...some(random, 0.5, () => ({ prev_kv: true })),
    ...some(random, 0.3, () => ({ filters: pick(random, [['NOPUT'], ['NODELETE'], ['NOPUT', 'NODELETE']]) })),
    ...some(random, 0.3, () => ({ fragment: true })),
    ...some(random, 0.3, () => ({ progress_notify: true })),
    ...some(random, 0.2, () => ({ watch_id: String(random.integer(watchesOfStream)) })),
  },
})

test(`watches between ${steps} random calls have the events of etcd`, { timeout: 3_600_000 }, async () => {
  const [original, own] = await Promise.all([startEtcd(), startOwnEtcd({ durable: true })])
  const addresses = [original.servers[0] ?? '', own.url] as const
  const options = { defaultCallOptions: () => ({ deadline: Date.now() + 20_000 }) }
  const [there, here] = addresses.map((hosts) => new Etcd3({ hosts, ...options })) as [Etcd3, Etcd3]
  const random = randomNumbers(1)
  const tell = progress('calls', steps)
  let streams = addresses.map((address) => new Stream(address)) as [Stream, Stream]
  let asked = 0
  const requests: object[] = []
  const ask = (request: object) => {
    requests.push(request)
    for (const stream of streams) stream.send(request)
  }
  const shownRequests = () => requests.map((request) => JSON.stringify(request, shown)).join('\n')
  /** Both have told the same. */
  async function settle(): Promise<void> {
    const [wanted, found] = streams
    const plain = ({ told }: Stream) => Object.fromEntries([...told].toSorted(([a], [b]) => Number(a) - Number(b)))
    const isAnswered = ({ told }: Stream) => [...told.values()].flat().filter(isCreated).length === asked
    const isSame = async () => isAnswered(wanted) && isAnswered(found) && JSON.stringify(plain(wanted)) === JSON.stringify(plain(found))
    // Whatever differs for long is shown by the assertion.
    await eventually('the same events', isSame, 2_000).catch(() => {})
    assert.deepEqual(plain(found), plain(wanted), shownRequests())
    assert(isAnswered(found), shownRequests())
  }
  /** Waits until no watch looks at the past, which progress shows. False: a watch waits for the future, of which progress is a matter of timing. */
  async function reachPresent(): Promise<boolean> {
    await settle()
    const { revision } = own.engine.history
    const isEarly = ({ create_request: { start_revision: from } = {} }: { create_request?: { start_revision?: string } }) =>
      Number(from ?? 0) > revision
    if (requests.some(isEarly)) return false
    // Without a watch nothing is told.
    if (!streams[0].isWatching) return true
    // etcd tells nothing while a watch is looking at the past, which nothing else shows when it finds no events there.
    await eventually('progress', async () => {
      for (const stream of streams) stream.send({ progress_request: {} })
      return streams.every((stream) => stream.progress === revision)
    })
    counts.progress++
    return true
  }
  const counts = { created: 0, events: 0, canceled: 0, progress: 0 }
  const count = () => {
    for (const all of streams[1].told.values())
      for (const each of all) {
        if (each === 'created') counts.created++
        else if (Array.isArray(each)) counts.canceled++
        else counts.events++
      }
  }
  try {
    let revision = 1
    for (let i = 0; i < steps; i++) {
      if (random.chance(0.1)) {
        if (asked === watchesOfStream) {
          count()
          for (const stream of streams) stream.close()
          streams = addresses.map((address) => new Stream(address)) as [Stream, Stream]
          asked = 0
          requests.length = 0
        }
        asked++
        ask(createOf(random, revision))
        await settle()
      } else if (random.chance(0.03)) ask({ cancel_request: { watch_id: String(random.integer(watchesOfStream)) } })
      const step = stepOf(random, revision)
      // etcd ends a watch that has not looked at the past yet.
      if (step[0] === 'compact' && !(await reachPresent())) continue
      requests.push([step[0], step[2]])
      const [wanted, found] = await Promise.all([outcome(step, there), outcome(step, here)])
      assert.deepEqual(found, wanted, `step ${i}: ${step[0]} ${JSON.stringify(step[2], shown)}`)
      revision = own.engine.history.revision
      // A compaction decides what a watch that is behind gets.
      if (random.chance(0.3) || step[0] === 'compact') await settle()
      if (random.chance(0.02)) await reachPresent()
      tell(i + 1)
    }
    await settle()
    count()
    if (process.env.APISERVER_SOAK) console.log(counts)
    assert(counts.created > 5 && counts.events > 50, JSON.stringify(counts))
  } finally {
    for (const stream of streams) stream.close()
    there.close()
    here.close()
    await Promise.all([original.stop(), own.stop()])
  }
})

/** Revisions of the progress that is told to a watch which starts so far ahead: it is asked for at each revision up to that one. */
async function progressUntil(address: string, ahead: number): Promise<readonly number[]> {
  const kv = new Etcd3({ hosts: address })
  const client = new Client(address.replace('http://', ''), credentials.createInsecure())
  const requests: Requests = client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', watch.requestSerialize, watch.responseDeserialize)
  requests.on('error', () => {})
  try {
    const put = async () => Number((await kv.put('other').value('')).header.revision)
    let revision = await put()
    const first = revision
    const told: number[] = []
    let isCreated = false
    requests.on('data', ({ created, header }: IWatchResponse) => {
      if (created) isCreated = true
      else told.push(Number(header.revision) - first)
    })
    requests.write({ create_request: { key: Buffer.from('watched'), start_revision: String(first + ahead) } })
    await eventually('the watch', async () => isCreated)
    for (; revision < first + ahead; revision = await put()) requests.write({ progress_request: {} })
    requests.write({ progress_request: {} })
    await eventually('progress at the start revision', async () => told.includes(ahead))
    return told
  } finally {
    requests.cancel()
    client.close()
    kv.close()
  }
}

test('no progress is told before the revision at which a watch starts', async (t) => {
  const own = await startOwnEtcd()
  try {
    for (const ahead of [1, 2, 3]) assert.deepEqual(await progressUntil(own.url, ahead), [ahead], `${ahead} ahead`)
  } finally {
    await own.stop()
  }
  // etcd 3.4, and 3.5 before 3.5.8, tell it at once.
  const original = await startEtcd()
  try {
    const [address = ''] = original.servers
    const { etcdserver } = (await (await fetch(`${address}/version`)).json()) as { etcdserver: string }
    const [, minor = 0, patch = 0] = etcdserver.split('.').map(Number)
    if (minor < 5 || (minor === 5 && patch < 8)) return t.diagnostic(`not compared: etcd ${etcdserver}`)
    for (const ahead of [1, 2, 3]) assert.deepEqual(await progressUntil(address, ahead), [ahead], `${ahead} ahead, etcd ${etcdserver}`)
  } finally {
    await original.stop()
  }
})
