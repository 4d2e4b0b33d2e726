/** Serves definitions: adds their rows to the resource table, and replaces them when spec or names change. */
import type { ServedResource } from '../../objects/registry/served.ts'
import type { LiveTable } from '../../objects/registry/table.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import { customResourceRows, storageKeyOf } from '../../resources/apiextensions/custom-resource.ts'
import type { ResourceDefinition, Versioning } from '../../resources/definition.ts'
import { type Definition, isServed, isTrue, type Names, sameNames } from './definition.ts'
import { SharedRows } from './shared-rows.ts'
import { type SchemaPlace, schemaPlaces } from './without-schemas.ts'

const decoder = new TextDecoder()

interface Shown {
  /** What rows depend on: the identity, the generation (which stands for the spec), and the accepted names. */
  readonly from: { readonly uid: string | undefined; readonly generation: number | undefined; readonly names: Partial<Names> | undefined }
  readonly terminating: boolean
  readonly source: Source
  readonly rows: readonly ResourceDefinition[]
  readonly isServed: (row: ResourceDefinition) => boolean
  readonly stored: ServedResource | undefined
}

const isSame = (a: Shown['from'], b: Shown['from']) => a.uid === b.uid && a.generation === b.generation && sameNames(a.names, b.names)

export interface ServedDefinitions {
  /** Serves the current definition, or removes it; `entry` is its stored form. */
  update(definition: Definition, entry: StoredObject): void
  remove(name: string): void
  /**
   * Whether its objects would be stored below the keys of other resources, as those of a definition named like the definitions themselves.
   * Such a definition is never served: requests would read and delete the other resource's objects.
   */
  overlaps(definition: Definition): boolean
  /** The resource in its stored version, even if that version is not served; undefined while the definition is not served. */
  stored(name: string): ServedResource | undefined
}

export interface ServedDefinitionsOptions {
  readonly table: LiveTable
  /** What servers with the same options share; default: nothing. */
  readonly shared?: SharedRows
  versioningOf(definition: Definition): Versioning
}

/**
 * The stored definition, from which rows parse schemas on first use. While it is the newest version, its bytes are shared with the watch
 * cache.
 */
class Source {
  #entry: StoredObject
  /** Where the schemas stand in the JSON of the entry, once one was needed. */
  #schemas: ReadonlyMap<string, SchemaPlace> | undefined

  constructor(entry: StoredObject) {
    this.#entry = entry
  }

  get revision(): number {
    return this.#entry.revision
  }

  get json(): Uint8Array {
    return this.#entry.json
  }

  replace(entry: StoredObject): void {
    this.#entry = entry
    this.#schemas = undefined
  }

  schemaText(version: string): string | undefined {
    const { json } = this.#entry
    this.#schemas ??= schemaPlaces(json)
    const place = this.#schemas.get(version)
    return place && decoder.decode(json.subarray(place.start, place.end))
  }
}

export function createServedDefinitions({ table, shared = new SharedRows(), versioningOf }: ServedDefinitionsOptions): ServedDefinitions {
  const shown = new Map<string, Shown>()
  const nameOf = ({ metadata }: Definition) => metadata?.name ?? ''

  function rowsOf(definition: Definition, source: Source) {
    const versioning = versioningOf(definition)
    const made = shared.of(nameOf(definition), { json: source.json, names: definition.status?.acceptedNames }, () =>
      customResourceRows(definition, { schemaText: (version) => source.schemaText(version) }),
    )
    const definedBy = { name: nameOf(definition), uid: definition.metadata?.uid, revision: () => source.revision }
    const served = new Set(made.filter((each) => each.served).map(({ row }) => row.version))
    return {
      rows: made.map(({ row }): ResourceDefinition => ({ ...row, versioning, origin: { ...row.origin, definedBy } })),
      isServed: ({ version }: ResourceDefinition) => served.has(version),
      stored: made.find(({ storage }) => storage)?.row.version,
    }
  }

  function update(definition: Definition, entry: StoredObject): void {
    const name = nameOf(definition)
    if (!isServed(definition) || overlaps(definition)) {
      remove(name)
      return
    }
    const { metadata, status } = definition
    const from = { uid: metadata?.uid, generation: metadata?.generation, names: status?.acceptedNames }
    const terminating = isTrue(definition, 'Terminating')
    const known = shown.get(name)
    const before = known && isSame(known.from, from) ? known : undefined
    before?.source.replace(entry)
    if (before?.terminating === terminating) return
    const source = before?.source ?? new Source(entry)
    const fresh = before ? undefined : rowsOf(definition, source)
    const rows = (fresh?.rows ?? before?.rows ?? []).map(({ closing: _closing, ...row }): ResourceDefinition => {
      return terminating ? { ...row, closing: 'create not allowed while custom resource definition is terminating' } : row
    })
    const served = fresh?.isServed ?? before?.isServed ?? (() => false)
    const version = fresh ? fresh.stored : before?.stored?.definition.version
    const stored = table.replace(name, rows, served).find((each) => each.definition.version === version)
    shown.set(name, { from, terminating, source, rows, isServed: served, stored })
  }

  function remove(name: string): void {
    if (!shown.delete(name)) return
    shared.delete(name)
    table.replace(name, [])
  }

  const overlaps = (definition: Definition) => table.overlaps(nameOf(definition), storageKeyOf(definition))

  return { update, remove, overlaps, stored: (name) => shown.get(name)?.stored }
}
