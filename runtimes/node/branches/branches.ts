/** All branches of a server, by name. */
import { once } from '../../../core/common/once.ts'
import { controllerManager, serverManager } from '../../../core/controllers/client.ts'
import type { Platform } from '../../../core/platform.ts'
import type { HostPorts, OpenStores } from '../../../core/ports.ts'
import type { User } from '../../../core/request/exchange.ts'
import { createServerFamily, type ServerOptions } from '../../../core/server.ts'
import { Named } from '../named.ts'
import { Branch, branchResource } from './branch.ts'
import type { HandedOn } from './handed-on.ts'
import { branchOptions } from './options.ts'

export interface BranchLimits {
  /** Maximum number of branches. */
  readonly number: number
  /** Maximum time to live in milliseconds. */
  readonly ttl: number
  /** Maximum bytes of each: see `Settings`. */
  readonly bytes: number
}

export interface BranchesOptions {
  readonly ports: HostPorts
  /** Of the live server. */
  readonly options: ServerOptions
  /** Of the live server. Throws while it starts. */
  stores(): OpenStores
  readonly platform: Platform
  readonly limits: BranchLimits
  readonly handedOn: HandedOn
}

export class Branches {
  readonly #given: BranchesOptions
  readonly #family: () => Promise<ReturnType<typeof createServerFamily>>
  readonly #branches: Named<Branch>
  readonly #expiries = new Map<Branch, () => void>()
  #isClosed = false

  constructor(given: BranchesOptions) {
    this.#given = given
    this.#branches = new Named(branchResource, given.limits.number)
    this.#family = once(async () => createServerFamily(await branchOptions(given.options, given.handedOn)))
  }

  /** Field managers of the built-in controllers. */
  get managers(): readonly string[] {
    const { platform } = this.#given
    return [serverManager(platform), controllerManager(platform)]
  }

  /** By name. */
  list(): Branch[] {
    return this.#branches.list()
  }

  find(name: string): Branch | undefined {
    return this.#branches.find(name)
  }

  /** @throws ApiError NotFound. */
  get(name: string): Branch {
    return this.#branches.get(name)
  }

  /** Rejects with an ApiError. `ttl` in milliseconds; default: the maximum. */
  async create(name: string, owner: User, ttl?: number): Promise<Branch> {
    const { limits, ports, handedOn } = this.#given
    const branch = await this.#branches.make(name, async () => {
      const created = ports.clock.now()
      const settings = { name, owner, created, expires: created + Math.min(ttl ?? limits.ttl, limits.ttl), maxBytes: limits.bytes }
      return Branch.start(settings, { live: this.#given.stores(), ports, handedOn, family: await this.#family() })
    })
    if (this.#isClosed) await branch.close()
    else this.#expireLater(branch)
    return branch
  }

  async delete(name: string): Promise<void> {
    const branch = this.get(name)
    this.#branches.delete(name)
    this.#expiries.get(branch)?.()
    this.#expiries.delete(branch)
    await branch.close()
  }

  /** Ends all. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.list().map(({ settings }) => this.delete(settings.name)))
  }

  #expireLater(branch: Branch): void {
    const { clock, telemetry } = this.#given.ports
    const { name, created, expires } = branch.settings
    const end = () =>
      void this.delete(name).catch((error: unknown) => telemetry.logger.error({ branch: name, err: error }, 'branch not ended'))
    this.#expiries.set(branch, clock.after(expires - created, end))
  }
}
