/** How many objects each resource has, and how large they are. */

export interface ObjectStats {
  readonly count: number
  /** Average size in bytes; 0: unknown. */
  readonly size: number
}

/** Milliseconds after which counts are not trusted any more. */
const maxAge = 3 * 60_000
const unknown: ObjectStats = { count: 1_000_000_000, size: 1_500_000 }

export class ObjectCounts {
  readonly #groups = new Map<string, Map<string, { readonly stats: ObjectStats; readonly at: number }>>()

  /** `now` in milliseconds of the monotonic clock. */
  set(group: string, resource: string, stats: ObjectStats, now: number): void {
    const resources = this.#groups.get(group) ?? new Map()
    this.#groups.set(group, resources.set(resource, { stats, at: now }))
  }

  /** Forgets the resources that are not listed. */
  keep(isKept: (group: string, resource: string) => boolean): void {
    for (const [group, resources] of this.#groups) {
      for (const resource of resources.keys()) if (!isKept(group, resource)) resources.delete(resource)
      if (resources.size === 0) this.#groups.delete(group)
    }
  }

  /** Undefined for an unknown resource, such as one of another server. Outdated counts are as if everything was large. */
  get(group: string, resource: string, now: number): ObjectStats | undefined {
    const found = this.#groups.get(group)?.get(resource)
    if (found === undefined) return undefined
    return now - found.at > maxAge ? unknown : found.stats
  }
}
