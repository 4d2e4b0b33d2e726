import type { OwnerReference } from '../resources/definition.ts'

/** An object with owners, by its store key. */
export interface Dependent {
  readonly key: string
  readonly uid: string
  readonly owners: readonly OwnerReference[]
}

/** Graph of owner references: contains only objects with owners; owners are identified by UID. */
export class ObjectGraph {
  readonly #byKey = new Map<string, Dependent>()
  readonly #byOwner = new Map<string, Set<string>>()

  get(key: string): Dependent | undefined {
    return this.#byKey.get(key)
  }

  set(dependent: Dependent): void {
    this.delete(dependent.key)
    if (dependent.owners.length === 0) return
    this.#byKey.set(dependent.key, dependent)
    for (const { uid } of dependent.owners) {
      const known = this.#byOwner.get(uid)
      if (known) known.add(dependent.key)
      else this.#byOwner.set(uid, new Set([dependent.key]))
    }
  }

  delete(key: string): Dependent | undefined {
    const dependent = this.#byKey.get(key)
    if (dependent === undefined) return undefined
    this.#byKey.delete(key)
    for (const { uid } of dependent.owners) {
      const known = this.#byOwner.get(uid)
      known?.delete(key)
      if (known?.size === 0) this.#byOwner.delete(uid)
    }
    return dependent
  }

  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.#byOwner.get(uid) ?? [])].flatMap((key) => this.#byKey.get(key) ?? [])
  }

  get all(): readonly Dependent[] {
    return [...this.#byKey.values()]
  }

  clear(): void {
    this.#byKey.clear()
    this.#byOwner.clear()
  }
}
