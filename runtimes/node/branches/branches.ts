/** All branches of a server, by name. */
import { ApiError } from '../../../core/answers/status.ts'
import { once } from '../../../core/common/once.ts'
import { controllerManager, serverManager } from '../../../core/controllers/client.ts'
import type { Platform } from '../../../core/platform.ts'
import { type HostPorts, type OpenStores, StoreError } from '../../../core/ports.ts'
import type { User } from '../../../core/request/exchange.ts'
import { createServerFamily, type ServerOptions } from '../../../core/server.ts'
import { stateOf } from '../../stores/state-at.ts'
import { Named } from '../named.ts'
import { type Base, Branch, branchResource, revisionOf } from './branch.ts'
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
  /** The latest state that a branch has started with: it is shared as long as the live server has not changed. */
  #latest: Base | undefined
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
      return Branch.start(settings, await this.#base(name), { ports, handedOn, family: await this.#family() })
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
    if (this.#branches.size === 0) this.#latest = undefined
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

  async #base(name: string): Promise<Base> {
    const { limits, options, ports } = this.#given
    const { store, overrides = [] } = this.#given.stores()
    const latest = this.#latest
    const revisions = await Promise.all([store, ...overrides.map((each) => each.store)].map((each) => each.currentRevision()))
    const known = latest && [latest.main, ...latest.overrides.map(({ state }) => state)].map(({ base }) => base.versions.revision)
    if (latest && revisions.every((revision, at) => revision === known?.[at])) return latest
    const how = { prefix: `${options.prefix ?? '/registry'}/`, clock: ports.clock, maxBytes: limits.bytes }
    try {
      const others: Base['overrides'][number][] = []
      for (const each of overrides) others.push({ resources: each.resources, state: await stateOf(each.store, how) })
      const base = { main: await stateOf(store, how), overrides: others }
      this.#latest = base
      ports.telemetry.logger.info({ branch: name, revision: revisionOf(base) }, 'branch: state copied')
      return base
    } catch (error) {
      if (error instanceof StoreError && error.code === 'no-space')
        throw new ApiError('Forbidden', `${branchResource.resource} "${name}" is forbidden: ${error.message}`)
      throw error
    }
  }
}
