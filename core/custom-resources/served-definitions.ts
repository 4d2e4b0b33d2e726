/** Definitions in the table of resources: rows while they are served, replaced when their specification or names change. */
import type { ServedResource } from '../registry/served.ts'
import type { LiveTable } from '../registry/table.ts'
import { customResourceRows } from '../resources/apiextensions/custom-resource.ts'
import type { Converter, ResourceDefinition } from '../resources/definition.ts'
import { printJson } from '../schema/json-text.ts'
import type { Entry } from '../storage/entry.ts'
import { type Definition, isServed, isTrue } from './definition.ts'

interface Shown {
  /** What rows are made from, as text. */
  readonly made: string
  readonly terminating: boolean
  readonly source: Source
  readonly rows: readonly ResourceDefinition[]
  readonly isServed: (row: ResourceDefinition) => boolean
  readonly stored: ServedResource | undefined
}

export interface ServedDefinitions {
  /** Serves what the definition says now, or not any more; `entry` is what it was decoded from. */
  update(definition: Definition, entry: Entry): void
  remove(name: string): void
  /** The objects in the version in which they are stored, whether that is served or not; undefined while the definition is not served. */
  stored(name: string): ServedResource | undefined
}

export interface ServedDefinitionsOptions {
  readonly table: LiveTable
  converterOf(definition: Definition): Converter
}

/**
 * The definition as it is stored, which all of its rows read their schemas from when they first need them: bytes that the watch cache has
 * anyway, as long as it is the newest.
 */
class Source {
  entry: Entry
  constructor(entry: Entry) {
    this.entry = entry
  }
  schemaText(version: string): string | undefined {
    const { spec } = this.entry.decode() as unknown as Definition
    const schema = spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema
    return schema && printJson(schema)
  }
}

export function createServedDefinitions({ table, converterOf }: ServedDefinitionsOptions): ServedDefinitions {
  const shown = new Map<string, Shown>()
  const nameOf = ({ metadata }: Definition) => metadata?.name ?? ''

  function rowsOf(definition: Definition, source: Source) {
    const converter = converterOf(definition)
    const made = customResourceRows(definition, { schemaText: (version) => source.schemaText(version) })
    const served = new Set(made.filter((each) => each.served).map(({ row }) => row.version))
    return {
      rows: made.map(({ row }): ResourceDefinition => ({ ...row, converter })),
      isServed: ({ version }: ResourceDefinition) => served.has(version),
      stored: made.find(({ storage }) => storage)?.row.version,
    }
  }

  function update(definition: Definition, entry: Entry): void {
    const name = nameOf(definition)
    if (!isServed(definition)) {
      remove(name)
      return
    }
    const { metadata, status } = definition
    const made = JSON.stringify([metadata?.uid, metadata?.generation, status?.acceptedNames])
    const terminating = isTrue(definition, 'Terminating')
    const before = shown.get(name)
    if (before?.made === made) before.source.entry = entry
    if (before?.made === made && before.terminating === terminating) return
    const source = before?.made === made ? before.source : new Source(entry)
    const fresh = before?.made === made ? undefined : rowsOf(definition, source)
    const rows = (fresh?.rows ?? before?.rows ?? []).map(({ closing: _closing, ...row }): ResourceDefinition => {
      return terminating ? { ...row, closing: 'create not allowed while custom resource definition is terminating' } : row
    })
    const served = fresh?.isServed ?? before?.isServed ?? (() => false)
    const version = fresh ? fresh.stored : before?.stored?.definition.version
    const stored = table.replace(name, rows, served).find((each) => each.definition.version === version)
    shown.set(name, { made, terminating, source, rows, isServed: served, stored })
  }

  function remove(name: string): void {
    if (shown.delete(name)) table.replace(name, [])
  }

  return { update, remove, stored: (name) => shown.get(name)?.stored }
}
