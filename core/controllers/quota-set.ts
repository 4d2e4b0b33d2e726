import type { Amounts } from '../admission/quota/amounts.ts'
import type { QuotaObject } from '../admission/quota/quota.ts'

/** Amounts that a quota limits. */
export const specHardOf = ({ spec }: QuotaObject): Amounts => spec?.hard ?? {}

/** The quotas of a cluster by key, indexed by namespace and by the names of the amounts that they limit. */
export class QuotaSet {
  readonly #quotas = new Map<string, QuotaObject>()
  readonly #byNamespace = new Map<string, Set<string>>()
  /** How many quotas limit each name. */
  readonly #uses = new Map<string, number>()

  /** Namespaces that have quotas. */
  namespaces(): readonly string[] {
    return [...this.#byNamespace.keys()]
  }

  get(key: string): QuotaObject | undefined {
    return this.#quotas.get(key)
  }

  keysIn(namespace: string): readonly string[] {
    return [...(this.#byNamespace.get(namespace) ?? [])]
  }

  /** Names that at least one quota limits. */
  names(): readonly string[] {
    return [...this.#uses.keys()]
  }

  /** Adds or replaces a quota. Returns whether `names` changed. */
  set(key: string, quota: QuotaObject): boolean {
    const before = this.#quotas.get(key)
    this.#quotas.set(key, quota)
    const { namespace = '' } = quota.metadata
    const keys = this.#byNamespace.get(namespace)
    if (keys === undefined) this.#byNamespace.set(namespace, new Set([key]))
    else keys.add(key)
    // Adds new names first, so that names that stay are never gone in between.
    const added = Object.keys(specHardOf(quota)).map((name) => this.#use(name, 1))
    const removed = before === undefined ? [] : this.#release(before)
    return [...added, ...removed].includes(true)
  }

  /** Removes a quota. Returns whether `names` changed. */
  delete(key: string): boolean {
    const quota = this.#quotas.get(key)
    if (quota === undefined) return false
    this.#quotas.delete(key)
    const { namespace = '' } = quota.metadata
    const keys = this.#byNamespace.get(namespace)
    keys?.delete(key)
    if (keys?.size === 0) this.#byNamespace.delete(namespace)
    return this.#release(quota).includes(true)
  }

  #release(quota: QuotaObject): boolean[] {
    return Object.keys(specHardOf(quota)).map((name) => this.#use(name, -1))
  }

  /** Counts a use of a name; returns whether it is the first one, or was the last. */
  #use(name: string, difference: 1 | -1): boolean {
    const before = this.#uses.get(name) ?? 0
    const uses = before + difference
    if (uses === 0) this.#uses.delete(name)
    else this.#uses.set(name, uses)
    return before === 0 || uses === 0
  }
}
