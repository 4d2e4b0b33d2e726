import { apiVersionOf, type ResourceDefinition } from '../../resources/definition.ts'

/** Looks up resources, or their definitions: `T` is what is found. */
export class ResourceIndex<T> {
  readonly #definitionOf: (of: T) => ResourceDefinition
  readonly all: T[] = []
  readonly #byPlural = new Map<string, Map<string, T>>()
  readonly #byKind = new Map<string, T>()
  readonly #byStorageKey = new Map<string, T[]>()
  /** By storage key, version and kind, including versions that are not served. */
  readonly #definitions = new Map<string, ResourceDefinition>()
  /** By plural and group; of several versions, the last one. */
  readonly #byGroup = new Map<string, T>()

  constructor(definitionOf: (of: T) => ResourceDefinition) {
    this.#definitionOf = definitionOf
  }

  /** Of resources with the same name, the first one stays. `all` has also those that are not served. */
  add(all: readonly T[], served: readonly T[]): void {
    for (const each of all) {
      const definition = this.#definitionOf(each)
      const key = versionOfObjects(definition, apiVersionOf(definition))
      if (!this.#definitions.has(key)) this.#definitions.set(key, definition)
    }
    for (const each of served) {
      const definition = this.#definitionOf(each)
      const { group, version, names, storageKey } = definition
      const versions = this.#byPlural.get(names.plural) ?? new Map<string, T>()
      const groupVersion = versionKey(group, version)
      if (versions.has(groupVersion)) continue
      this.#byPlural.set(names.plural, versions.set(groupVersion, each))
      this.all.push(each)
      const kind = `${apiVersionOf(definition)} ${definition.kind}`
      if (!this.#byKind.has(kind)) this.#byKind.set(kind, each)
      if (storageKey !== '') this.#byStorageKey.set(storageKey, [...(this.#byStorageKey.get(storageKey) ?? []), each])
      this.#byGroup.set(`${names.plural}.${group}`, each)
    }
  }

  lookup(group: string, version: string, plural: string): T | undefined {
    return this.#byPlural.get(plural)?.get(versionKey(group, version))
  }

  ofKind(apiVersion: string, kind: string): T | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`)
  }

  /** All with the same stored objects: the same array each time. */
  ofStorageKey(storageKey: string): readonly T[] | undefined {
    return this.#byStorageKey.get(storageKey)
  }

  definitionIn(definition: ResourceDefinition, apiVersion: string): ResourceDefinition | undefined {
    return this.#definitions.get(versionOfObjects(definition, apiVersion))
  }

  ofGroup(group: string, plural: string): T | undefined {
    return this.#byGroup.get(`${plural}.${group}`)
  }
}

const versionOfObjects = ({ storageKey, kind }: ResourceDefinition, apiVersion: string) => `${storageKey} ${apiVersion} ${kind}`

const versionKey = (group: string, version: string) => `${group}/${version}`
