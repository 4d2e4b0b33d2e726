import type { OwnerReference } from '../resources/definition.ts'

/** An object with owners, by its store key. */
export interface Dependent {
  readonly key: string
  readonly namespace: string
  readonly uid: string
  readonly owners: readonly OwnerReference[]
}

/** An owner without its UID: of a deleted object only the key is known. */
export interface Owner {
  readonly kind: string
  /** Empty for a cluster-scoped owner: its dependents may be in any namespace. */
  readonly namespace: string
  readonly name: string
}

/** `namespace`: of the dependents. */
const placeOf = (namespace: string, { kind, name }: Pick<Owner, 'kind' | 'name'>) => `${namespace}/${kind}/${name}`

/** Graph of owner references: contains only objects with owners. */
export class ObjectGraph {
  readonly #byKey = new Map<string, Dependent>()
  /** Keys of dependents by `placeOf`. */
  readonly #byOwner = new Map<string, Set<string>>()
  /** Number of dependents in each namespace. */
  readonly #namespaces = new Map<string, number>()

  get(key: string): Dependent | undefined {
    return this.#byKey.get(key)
  }

  set(dependent: Dependent): void {
    const { key, namespace, owners } = dependent
    this.delete(key)
    if (owners.length === 0) return
    this.#byKey.set(key, dependent)
    this.#count(namespace, 1)
    for (const owner of owners) {
      const place = placeOf(namespace, owner)
      const known = this.#byOwner.get(place)
      if (known) known.add(key)
      else this.#byOwner.set(place, new Set([key]))
    }
  }

  delete(key: string): Dependent | undefined {
    const dependent = this.#byKey.get(key)
    if (dependent === undefined) return undefined
    this.#byKey.delete(key)
    this.#count(dependent.namespace, -1)
    for (const owner of dependent.owners) {
      const place = placeOf(dependent.namespace, owner)
      const known = this.#byOwner.get(place)
      known?.delete(key)
      if (known?.size === 0) this.#byOwner.delete(place)
    }
    return dependent
  }

  #count(namespace: string, change: number): void {
    const count = (this.#namespaces.get(namespace) ?? 0) + change
    if (count > 0) this.#namespaces.set(namespace, count)
    else this.#namespaces.delete(namespace)
  }

  /** Objects that refer to this owner, and to this UID of it if one is given. */
  dependentsOf(owner: Owner, uid?: string): readonly Dependent[] {
    const namespaces = owner.namespace === '' ? [...this.#namespaces.keys()] : [owner.namespace]
    const keys = namespaces.flatMap((namespace) => [...(this.#byOwner.get(placeOf(namespace, owner)) ?? [])])
    const dependents = keys.flatMap((key) => this.#byKey.get(key) ?? [])
    return uid === undefined ? dependents : dependents.filter(({ owners }) => owners.some((each) => each.uid === uid))
  }

  get all(): readonly Dependent[] {
    return [...this.#byKey.values()]
  }

  clear(): void {
    this.#byKey.clear()
    this.#byOwner.clear()
    this.#namespaces.clear()
  }
}
