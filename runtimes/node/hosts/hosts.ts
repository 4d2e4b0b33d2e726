/** All servers of the process, by name. */
import { createSecrets } from '../../testing/secrets.ts'
import { isSettled, newHostedState, type Snapshot, type TestObject } from '../../testing/server.ts'
import { Named } from '../named.ts'
import type { Home } from './home.ts'
import { Hosted, type Limits, type Settings, type Shared, servers } from './hosted.ts'
import { hostedOptions } from './options.ts'

/** What a client may choose for a new server. */
export interface Choices {
  readonly name: string
  readonly ttlSeconds?: number | undefined
  readonly limits?: { readonly [N in keyof Limits]?: number | undefined } | undefined
}

export interface NewServer extends Choices {
  readonly options?: { readonly [name: string]: unknown } | undefined
  readonly manifests?: readonly TestObject[] | undefined
}

export interface HostsOptions extends Shared {
  readonly maxServers: number
  /** Maximum of each server. */
  readonly limits: Limits
  /** Milliseconds without a request after which a server leaves memory. */
  readonly idleTimeout: number
  homeOf(name: string): Home
}

/** Looks for idle servers per idle timeout. */
const sweeps = 4

export class Hosts {
  readonly #options: HostsOptions
  readonly #servers: Named<Hosted>
  readonly #expiries = new Map<string, () => void>()
  #stopSweeping: () => void = () => {}
  #removing: Promise<unknown> = Promise.resolve()

  constructor(options: HostsOptions) {
    this.#options = options
    this.#servers = new Named(servers, options.maxServers)
    this.#sweep()
  }

  /** By name. */
  list(): Hosted[] {
    return this.#servers.list()
  }

  find(name: string): Hosted | undefined {
    return this.#servers.find(name)
  }

  /** @throws ApiError NotFound. */
  get(name: string): Hosted {
    return this.#servers.get(name)
  }

  /** Rejects with an ApiError or OptionError, or with an ApiFailure when a manifest is refused; the server does not exist then. */
  create({ options: given = {}, manifests, ...choices }: NewServer): Promise<Hosted> {
    return this.#make(choices, async () => {
      const options = hostedOptions(given)
      const snapshot = await newHostedState(options, this.#options.telemetry)
      const hosted = await this.#hosted({ ...this.#settingsOf(choices), options, hooks: [] }, snapshot)
      try {
        if (manifests !== undefined) await hosted.load(manifests)
      } catch (error) {
        await hosted.remove()
        throw error
      }
      return hosted
    })
  }

  /** A server with the state of another one, and keys of its own. */
  fork(from: Hosted, choices: Choices, snapshot?: Snapshot): Promise<Hosted> {
    return this.#make(choices, async () => {
      const { options, hooks } = from.settings
      const state = { ...(snapshot ?? (await from.snapshot())), secrets: await createSecrets() }
      return this.#hosted({ ...this.#settingsOf(choices), options, hooks }, state)
    })
  }

  /** Adds a server that was here before the process started. */
  add(settings: Settings, home: Home): void {
    const hosted = new Hosted(settings, home, this.#options)
    this.#servers.set(settings.name, hosted)
    this.#expireLater(hosted)
  }

  async delete(name: string): Promise<void> {
    const hosted = this.get(name)
    this.#servers.delete(name)
    this.#expiries.get(name)?.()
    this.#expiries.delete(name)
    // The name is free when the state has gone.
    await this.#servers.whileTaken(name, () => hosted.remove())
  }

  async close(): Promise<void> {
    this.#stopSweeping()
    for (const cancel of this.#expiries.values()) cancel()
    await this.#removing
    await Promise.all(this.list().map((each) => each.close()))
  }

  #settingsOf({ name, ttlSeconds, limits = {} }: Choices): Pick<Settings, 'name' | 'limits' | 'created' | 'expires'> {
    const maxima = this.#options.limits
    const limitOf = (name: keyof Limits) => Math.min(limits[name] ?? maxima[name], maxima[name])
    const created = this.#options.clock.now()
    return {
      name,
      limits: { storedBytes: limitOf('storedBytes'), requestsInFlight: limitOf('requestsInFlight'), requestBytes: limitOf('requestBytes') },
      created,
      ...(ttlSeconds !== undefined && { expires: created + ttlSeconds * 1000 }),
    }
  }

  async #make({ name }: Choices, make: () => Promise<Hosted>): Promise<Hosted> {
    const made = await this.#servers.make(name, make)
    this.#expireLater(made)
    return made
  }

  async #hosted(settings: Settings, snapshot: Snapshot): Promise<Hosted> {
    const home = this.#options.homeOf(settings.name)
    await home.save(snapshot, settings, isSettled(settings.options, this.#options.telemetry, snapshot))
    return new Hosted(settings, home, this.#options)
  }

  #expireLater(hosted: Hosted): void {
    const { name, expires } = hosted.settings
    if (expires === undefined) return
    const { clock } = this.#options
    const remove = () => {
      this.#removing = Promise.all([this.#removing, this.delete(name).catch((error: unknown) => this.#failed(name, error))])
    }
    this.#expiries.set(name, clock.after(Math.max(0, expires - clock.now()), remove))
  }

  #sweep(): void {
    const { clock, idleTimeout } = this.#options
    const rest = () => {
      for (const hosted of this.#servers.values())
        if (hosted.isAwake) hosted.rest(idleTimeout).catch((error: unknown) => this.#failed(hosted.settings.name, error))
      this.#sweep()
    }
    this.#stopSweeping = clock.after(idleTimeout / sweeps, rest)
  }

  #failed(name: string, error: unknown): void {
    this.#options.telemetry.logger.error({ server: name, err: error }, 'server not ended')
  }
}
