/** Converts a CustomResourceDefinition to rows like those of built-in resources, one per version. */
import { getPath } from '../../schema/accessors.ts'
import { compareVersions } from '../../schema/formats/version-order.ts'
import { parseJsonText, printJson } from '../../schema/json/text.ts'
import { type Infer, type JsonObject, lazy } from '../../schema/model.ts'
import { type Origin, type Path, type ResourceDefinition, resource, type Scale } from '../definition.ts'
import { columnsOf } from './columns.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from './customresourcedefinition.ts'
import { objectStrategy } from './object-strategy.ts'
import { readSchema } from './read-schema.ts'
import type { SchemaNode } from './schema-nodes.ts'

type Definition = Infer<typeof CustomResourceDefinition>
type Version = Infer<typeof CustomResourceDefinitionVersion>

export interface CustomResourceOptions {
  /** Returns the `openAPIV3Schema` of a version as JSON when the schema is first needed; default: a copy kept by the row. */
  readonly schemaText?: (version: string) => string | undefined
}

export interface CustomResourceRow {
  readonly row: ResourceDefinition
  readonly served: boolean
  /** This is the storage version. */
  readonly storage: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Keeps a schema as bytes, which take a tenth of the memory of its nodes. */
function kept({ schema }: Version): () => string | undefined {
  if (!schema?.openAPIV3Schema) return () => undefined
  const bytes = encoder.encode(printJson(schema.openAPIV3Schema))
  return () => decoder.decode(bytes)
}

function scaleOf({ subresources }: Version): Scale | undefined {
  if (!subresources?.scale) return undefined
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources.scale
  return {
    specReplicas: specReplicasPath as Path,
    statusReplicas: statusReplicasPath as Path,
    strategyValidates: true,
    ...(labelSelectorPath && { selector: labelSelectorPath as Path }),
  }
}

function selectableOf({ selectableFields }: Version): NonNullable<ResourceDefinition['selectable']> {
  const entries = (selectableFields ?? []).map(({ jsonPath }) => {
    const text = (object: unknown) => String(getPath(object, jsonPath) ?? '')
    return [jsonPath.replace(/^\./, ''), text] as const
  })
  return Object.fromEntries(entries)
}

/** The newest version that may be recommended. */
const newestOf = ({ versions }: Definition['spec']): string | undefined =>
  versions
    .filter(({ served, deprecated }) => served && !deprecated)
    .map(({ name }) => name)
    .sort((a, b) => compareVersions(b, a))[0]

/** Deprecation warning of a version: its own text, or a recommendation of the newest version, if that is newer. */
function warningOf({ group, names }: Definition['spec'], { name, deprecated, deprecationWarning }: Version, newest: string | undefined) {
  if (!deprecated) return undefined
  if (typeof deprecationWarning === 'string') return deprecationWarning
  const text = `${group}/${name} ${names.kind} is deprecated`
  return newest !== undefined && compareVersions(newest, name) > 0 ? `${text}; use ${group}/${newest} ${names.kind}` : text
}

/** Accepted names, or the requested ones before acceptance. */
function namesOf({ spec, status }: Definition): Definition['spec']['names'] {
  return status?.acceptedNames?.plural ? status.acceptedNames : spec.names
}

/** Storage key of a definition's objects; names of resources can't change once accepted. */
export const storageKeyOf = ({ spec: { group, names } }: Pick<Definition, 'spec'>): string => `${group}/${names.plural}`

/** As the reference's handler of custom resources. */
const custom: Origin = {
  routing: 'verb',
  typeMeta: 'explicit',
  strategicMerge: false,
  subresourceOrder: 'listed',
  columnsShowManagers: true,
}

/** In the reference's order. */
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const

/** What all versions have in common. */
interface Common {
  readonly names: readonly [plural: string, singular: string, ...shortNames: string[]]
  readonly stored: Version | undefined
  readonly newest: string | undefined
}

function commonOf(definition: Definition): Common {
  const { plural, singular, kind, shortNames } = namesOf(definition)
  return {
    names: [plural, singular || kind.toLowerCase(), ...(shortNames ?? [])],
    stored: definition.spec.versions.find(({ storage }) => storage),
    newest: newestOf(definition.spec),
  }
}

function rowOf(definition: Definition, version: Version, common: Common, options: CustomResourceOptions): ResourceDefinition {
  const { group, scope, preserveUnknownFields = false } = definition.spec
  const { kind, listKind, categories } = namesOf(definition)
  const { names, stored = version } = common
  const { name } = version
  const { schemaText } = options
  const textOf = schemaText ? () => schemaText(name) : kept(version)
  const read = () => {
    const text = textOf()
    return text === undefined ? undefined : (parseJsonText(text) as SchemaNode)
  }
  const schema = lazy(() => readSchema(read(), preserveUnknownFields))
  const nothingListed = { 'x-kubernetes-preserve-unknown-fields': true }
  const scale = scaleOf(version)
  const warning = warningOf(definition.spec, version, common.newest)
  const status = version.subresources?.status !== undefined && version.subresources.status !== null
  return resource({
    group,
    version: version.name,
    kind,
    names,
    anyFinalizers: true,
    listKind: listKind || `${kind}List`,
    ...(categories && { categories }),
    namespaced: scope === 'Namespaced',
    verbs,
    origin: {
      ...custom,
      published: () => (preserveUnknownFields ? nothingListed : read()) as JsonObject | undefined,
      ...(warning !== undefined && { deprecationWarning: warning }),
    },
    schema,
    storageKey: storageKeyOf(definition),
    // Whatever the media type of stored objects is otherwise, as in the reference server.
    storageMediaType: 'application/json',
    ...(stored !== version && { storageVersion: `${group}/${stored.name}` }),
    status,
    statusKeeps: 'metadata',
    ...(scale && { scale }),
    generation: status ? 'spec' : 'specAndStatus',
    selectable: selectableOf(version),
    columns: columnsOf(version.additionalPrinterColumns),
    strategy: objectStrategy(schema, scale),
    updateNeedsVersion: true,
  }) as ResourceDefinition
}

/** Rows of a definition in the order of its versions, including versions that are not served. */
export function customResourceRows(definition: Definition, options: CustomResourceOptions = {}): readonly CustomResourceRow[] {
  const common = commonOf(definition)
  return definition.spec.versions.map((version) => ({
    row: rowOf(definition, version, common, options),
    served: version.served,
    storage: version.storage,
  }))
}
