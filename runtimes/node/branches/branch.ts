/** One branch: a server in memory over what its live server has stored at one time. */
import { forbidden } from '../../../core/answers/status.ts'
import type { Connection, HostPorts, KeyValueStore, OpenStores, StoreOverride } from '../../../core/ports.ts'
import { maxBodyBytes } from '../../../core/request/body.ts'
import type { User } from '../../../core/request/exchange.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import type { FamilyServer, ObjectPlace, ServerFamily } from '../../../core/server.ts'
import { type BranchedStore, branchedStore } from '../../stores/branched.ts'
import { TestClock } from '../../testing/clock.ts'
import { InFlight, type RequestLimits } from '../in-flight.ts'
import type { HandedOn } from './handed-on.ts'
import { Writes } from './writes.ts'

export const branchResource = { group: '', resource: 'branches' }

export interface Settings {
  readonly name: string
  readonly owner: User
  /** Milliseconds since the epoch. */
  readonly created: number
  readonly expires: number
  /** Maximum bytes of what it has stored since its start; each object counts as 1 KiB besides. */
  readonly maxBytes: number
}

export interface Surroundings {
  /** Of the live server. */
  readonly live: OpenStores
  readonly ports: HostPorts
  readonly family: ServerFamily
  readonly handedOn: HandedOn
}

/** An object that the branch has written. */
export interface Touched {
  readonly place: ObjectPlace
  /** Its revision in the live server when the branch began; 0: it did not exist. */
  readonly before: number
}

const limits: RequestLimits = { requestsInFlight: 1_000, requestBytes: maxBodyBytes }

export class Branch {
  readonly settings: Settings
  readonly #surroundings: Surroundings
  readonly #clock: TestClock
  readonly #writes: Writes<Touched>
  readonly #stores: BranchedStore[] = []
  #server: FamilyServer | undefined
  readonly #inFlight = new InFlight('branch')
  #closing: Promise<void> | undefined

  private constructor(settings: Settings, surroundings: Surroundings) {
    this.settings = settings
    this.#surroundings = surroundings
    this.#clock = new TestClock(surroundings.ports.clock)
    this.#writes = new Writes(settings.maxBytes, (key) => this.#place(key))
  }

  /** Resolves when it serves. */
  static async start(settings: Settings, surroundings: Surroundings): Promise<Branch> {
    const branch = new Branch(settings, surroundings)
    try {
      await branch.#start()
    } catch (error) {
      await branch.close()
      throw error
    }
    return branch
  }

  /** Revision of the live server's store at which it began. */
  get revision(): number {
    return this.#stores[0]?.revision ?? 0
  }

  get inFlight(): number {
    return this.#inFlight.count
  }

  isOwnedBy({ name, uid }: User): boolean {
    const { owner } = this.settings
    return owner.name === name && owner.uid === uid
  }

  /** Objects that it has written. */
  touched(): Touched[] {
    return this.#writes.notes()
  }

  /** Moves the clock of the branch ahead. */
  advance(milliseconds: number): Promise<void> {
    return this.#clock.advance(milliseconds)
  }

  /** Answers a request of a user, with path and query below the branch. */
  async handle(request: Request, target: string, user: User, connection?: Connection): Promise<Response> {
    const server = this.#server
    if (server === undefined || this.#closing) throw forbidden(branchResource, this.settings.name, 'it is being deleted')
    return this.#inFlight.answer(request, connection, limits, async () =>
      server.answer(below(request, target), this.#surroundings.handedOn.connectionOf(user, connection)),
    )
  }

  /** Ends requests in flight, and the server. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #start(): Promise<void> {
    const { ports, family, live } = this.#surroundings
    const store = await this.#open(live.store)
    const overrides: StoreOverride[] = []
    for (const each of live.overrides ?? []) overrides.push({ resources: each.resources, store: await this.#open(each.store) })
    // Nothing of the process: no audit log, no profiles, no traces.
    const telemetry = { logger: ports.telemetry.logger }
    this.#server = await family.start({ ...ports, telemetry, clock: this.#clock, store, overrides }, true)
    // Controllers do what is left, such as a deletion that the live server has begun.
    void this.#server.wake()
  }

  async #close(): Promise<void> {
    await this.#server?.close()
    for (const { store } of this.#stores) await store.close()
  }

  async #open(other: KeyValueStore): Promise<KeyValueStore> {
    const { maxBytes } = this.settings
    const branched = await branchedStore(other, { clock: this.#clock, pastBytes: maxBytes, readBytes: maxBytes })
    this.#stores.push(branched)
    return this.#writes.noted(branched.store)
  }

  /** Undefined: no object of the API, or none that is served yet. */
  #place(key: string): Touched | undefined {
    const place = this.#server?.objectOf(key)
    return place && { place, before: this.#stores.map(({ before }) => before(key)).find((revision) => revision > 0) ?? 0 }
  }
}

/** A request with another path, which ends when the client gives the first one up. */
function below(request: Request, target: string): Request {
  const body = LightRequest.body(request)
  if (body === undefined || !(request instanceof LightRequest)) return new Request(new URL(target, request.url), request)
  const light = new LightRequest(request.method, target, request.headers, body)
  LightRequest.onAbort(request, () => LightRequest.abort(light, LightRequest.abortReason(request) as Error))
  return light
}
