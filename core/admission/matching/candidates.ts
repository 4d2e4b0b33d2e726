import type { AdmissionAttributes, ServedVersion } from '../attributes.ts'

/**
 * Selects items, such as webhooks, that may apply to a request. Results are cached per operation and resource while its versions don't change,
 * so that unaffected requests cost nothing.
 */
export class Candidates<T> {
  readonly #items: readonly T[]
  readonly #concerns: (item: T, attributes: AdmissionAttributes) => boolean
  readonly #known = new WeakMap<readonly ServedVersion[], Map<string, readonly T[]>>()

  /** @param concerns must depend only on operation, resource with its versions, and subresource */
  constructor(items: readonly T[], concerns: (item: T, attributes: AdmissionAttributes) => boolean) {
    this.#items = items
    this.#concerns = concerns
  }

  /** In the order of the items. */
  of(attributes: AdmissionAttributes): readonly T[] {
    if (this.#items.length === 0) return this.#items
    const { operation, resource } = attributes
    const versions = attributes.versions.all()
    let known = this.#known.get(versions)
    if (known === undefined) {
      known = new Map()
      this.#known.set(versions, known)
    }
    const key = `${operation} ${resource.version} ${resource.group}`
    let found = known.get(key)
    if (found === undefined) {
      found = this.#items.filter((each) => this.#concerns(each, attributes))
      known.set(key, found)
    }
    return found
  }
}
