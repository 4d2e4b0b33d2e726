/** One of the servers: awake while it is used, and only a state otherwise. */
import { ApiError, forbidden, notFound } from '../../../core/answers/status.ts'
import type { Clock, Connection, Outbound, Telemetry } from '../../../core/ports.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { boundedStore } from '../../stores/bounded.ts'
import { type ForkableStoreOptions, forkableStore } from '../../stores/forkable.ts'
import type { TestClock } from '../../testing/clock.ts'
import type { AddedFault, Fault } from '../../testing/faults.ts'
import type { Requests } from '../../testing/requests.ts'
import { isSettled, type Snapshot, startHosted, type TestObject, type TestServer } from '../../testing/server.ts'
import { trafficOf } from '../../testing/traffic.ts'
import { InFlight, type RequestLimits } from '../in-flight.ts'
import type { Home, Snapshots } from './home.ts'
import { type Hook, hookAnswer } from './webhooks.ts'

export interface Limits extends RequestLimits {
  /** Bytes of stored objects; each object counts as 1 KiB besides. */
  readonly storedBytes: number
}

/** What a server is, besides its state. */
export interface Settings {
  readonly name: string
  readonly options: ServerOptions
  readonly limits: Limits
  /** Milliseconds since the epoch. */
  readonly created: number
  /** Milliseconds since the epoch at which it is deleted; absent: it stays. */
  readonly expires?: number
  /** What answers the webhooks of configurations that the interface has loaded. */
  readonly hooks: readonly Hook[]
}

/** What all servers of the process share. */
export interface Shared {
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Calls that servers make of their own accord. */
  readonly outbound: Required<Outbound>
  /** Calls that the interface asks for. */
  readonly trusted: Outbound
}

const objectBytes = 1024
const [maxSnapshots, maxFaults] = [16, 100]

export const servers = { group: '', resource: 'servers' }
export const snapshotResource = { group: '', resource: 'snapshots' }

export class Hosted {
  readonly #shared: Shared
  readonly #home: Home
  #settings: Settings
  /** The server while it is awake. */
  #server: TestServer | undefined
  /** Its start, also when it is over. */
  #starting: Promise<TestServer> | undefined
  /** An end that is under way, with what follows it. */
  #ending: Promise<unknown> | undefined
  readonly #inFlight = new InFlight('server', () => {
    this.#used = this.#shared.clock.monotonic()
  })
  #used: number
  #faults: { readonly fault: Fault; readonly added: AddedFault }[] = []
  #isRecording = false
  #isGone = false

  constructor(settings: Settings, home: Home, shared: Shared) {
    this.#settings = settings
    this.#home = home
    this.#shared = shared
    this.#used = shared.clock.monotonic()
  }

  get settings(): Settings {
    return this.#settings
  }

  get inFlight(): number {
    return this.#inFlight.count
  }

  /** Calls that the interface asks for. */
  get trusted(): Outbound {
    return this.#shared.trusted
  }

  get snapshots(): Snapshots {
    const { names, get, set } = this.#home.snapshots
    return {
      names,
      get,
      async set(name, snapshot) {
        const kept = names()
        if (kept.length >= maxSnapshots && !kept.includes(name))
          throw forbidden(snapshotResource, name, `the limit is ${maxSnapshots} snapshots`)
        await set(name, snapshot)
      },
    }
  }

  get faults(): readonly { readonly fault: Fault; readonly added: AddedFault }[] {
    return this.#faults
  }

  get isAwake(): boolean {
    return this.#starting !== undefined
  }

  /** Answers a request. Rejects with an ApiError, or with a StoreError when the state can't be read. */
  handle(request: Request, connection: Connection): Promise<Response> {
    return this.#inFlight.answer(request, connection, this.#settings.limits, async () => {
      const server = this.#server ?? (await this.#awake())
      return trafficOf(server).handle(request, connection)
    })
  }

  /** Does something with the server, which stays awake meanwhile. */
  use<T>(work: (server: TestServer) => T | Promise<T>): Promise<T> {
    return this.#inFlight.during(async () => work(await this.#awake()))
  }

  /** The present state. Takes constant time. */
  async snapshot(): Promise<Snapshot> {
    await this.#ending
    const kept = this.isAwake ? undefined : this.#home.kept?.()
    return kept ?? this.use((server) => server.snapshot())
  }

  /** Replaces the state: requests in flight end. Faults and recorded requests are forgotten. */
  restore(snapshot: Snapshot): Promise<void> {
    return this.#end(() => this.#home.save(snapshot, this.#settings, this.#isSettled(snapshot)))
  }

  /** Applies manifests. Rejects with an ApiFailure or ApiError when one is refused. */
  async load(manifests: readonly TestObject[]): Promise<TestObject[]> {
    try {
      return await this.use((server) => server.load(manifests))
    } catch (error) {
      // The harness's own, such as of an unknown kind.
      if (error instanceof Error && error.name === 'Error') throw new ApiError('Invalid', error.message)
      throw error
    }
  }

  /** Does something with the recorded requests; from the first time on, they are recorded. */
  record<T>(use: (requests: Requests) => T): Promise<T> {
    return this.use(({ requests }) => {
      this.#isRecording = true
      return use(requests)
    })
  }

  /** Adds a fault. Rejects with an OptionError. */
  async addFault(fault: Fault): Promise<void> {
    if (this.#faults.length >= maxFaults) throw forbidden(servers, this.#settings.name, `the limit is ${maxFaults} faults`)
    const added = await this.use(({ faults }) => faults.add(fault))
    this.#faults.push({ fault, added })
  }

  async clearFaults(): Promise<void> {
    await this.use(({ faults }) => faults.clear())
    this.#faults = []
  }

  /** Does something with the clock, which is then kept, too. */
  turnClock<T>(turn: (clock: TestClock) => Promise<T>): Promise<T> {
    return this.use(async ({ clock }) => {
      const result = await turn(clock)
      await this.#home.describe?.(this.#settings, clock.ahead)
      return result
    })
  }

  async addHooks(hooks: readonly Hook[]): Promise<void> {
    const names = new Set(hooks.map(({ name }) => name))
    this.#settings = { ...this.#settings, hooks: [...this.#settings.hooks.filter(({ name }) => !names.has(name)), ...hooks] }
    await this.use(({ clock }) => this.#home.describe?.(this.#settings, clock.ahead))
  }

  /** Leaves memory, except for its state, if nobody has used it for these milliseconds. What is only in memory keeps it awake. */
  async rest(milliseconds: number): Promise<void> {
    const server = this.#server
    if (server === undefined || this.#inFlight.count > 0 || server.clock.isFrozen || this.#faults.length > 0 || this.#isRecording) return
    if (this.#shared.clock.monotonic() - this.#used >= milliseconds) await this.#end()
  }

  /** Ends; the state stays. */
  close(): Promise<void> {
    this.#isGone = true
    return this.#end()
  }

  /** Ends; requests in flight, too. The state is removed. */
  remove(): Promise<void> {
    this.#isGone = true
    return this.#end(() => this.#home.remove())
  }

  async #awake(): Promise<TestServer> {
    while (this.#ending) await this.#ending
    if (this.#isGone) throw this.#gone()
    this.#starting ??= this.#start()
    return this.#starting
  }

  async #start(): Promise<TestServer> {
    try {
      const { options, limits, hooks } = this.#settings
      const { outbound, telemetry, trusted } = this.#shared
      const home = this.#home
      const { openStore = forkableStore, ...loaded } = await home.load()
      const bound = { bytes: limits.storedBytes, perObject: objectBytes }
      const server = await startHosted(options, {
        ...loaded,
        ...(home.present && { present: home.present.bind(home) }),
        outbound,
        telemetry,
        answers: hooks.map((hook) => hookAnswer(hook, trusted)),
        openStore: (asked: ForkableStoreOptions) => {
          const store = openStore({ ...asked, pastBytes: limits.storedBytes })
          return { ...boundedStore(store, bound), snapshot: store.snapshot }
        },
      })
      this.#server = server
      return server
    } catch (error) {
      this.#starting = undefined
      throw error
    }
  }

  /** Ends the server; requests that come meanwhile wait, also for what follows. */
  #end(then?: () => Promise<void>): Promise<void> {
    const before = this.#ending
    const ending = (async () => {
      await before
      const server = await this.#starting?.catch(() => undefined)
      this.#server = undefined
      this.#starting = undefined
      this.#faults = []
      this.#isRecording = false
      if (server) {
        const snapshot = server.snapshot()
        await server.close()
        await this.#home.ended(snapshot, then === undefined && this.#isSettled(snapshot))
      }
      await then?.()
    })()
    const done = ending
      .catch(() => undefined)
      .finally(() => {
        if (this.#ending === done) this.#ending = undefined
      })
    this.#ending = done
    return ending
  }

  #isSettled(snapshot: Snapshot): boolean {
    return isSettled(this.#settings.options, this.#shared.telemetry, snapshot)
  }

  #gone(): ApiError {
    return notFound(servers, this.#settings.name)
  }
}
