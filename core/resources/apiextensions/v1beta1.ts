/** Definitions in v1beta1: not served any more, but still the reference server's storage version. */
import type { ApiObject } from '../definition.ts'

interface Column {
  readonly JSONPath?: string
  readonly [field: string]: unknown
}

/** Settings for all versions. */
interface Shared {
  readonly subresources?: unknown
  readonly selectableFields?: unknown
  readonly additionalPrinterColumns?: readonly Column[]
}

interface Version extends Shared {
  readonly name: string
  readonly served?: boolean
  readonly storage?: boolean
  readonly schema?: unknown
}

interface Spec extends Shared {
  readonly version?: string
  readonly versions?: readonly Version[]
  readonly validation?: unknown
  readonly conversion?: { readonly strategy?: string; readonly webhookClientConfig?: unknown; readonly conversionReviewVersions?: unknown }
  readonly preserveUnknownFields?: boolean
}

const columns = (given: readonly Column[] | undefined) => given?.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath }))
const given = (members: object) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

function conversionOf({ conversion }: Spec) {
  if (conversion === undefined) return { strategy: 'None' }
  const { webhookClientConfig: clientConfig, conversionReviewVersions, ...rest } = conversion
  if (clientConfig === undefined && conversionReviewVersions === undefined) return rest
  return { ...rest, webhook: given({ clientConfig, conversionReviewVersions }) }
}

/** Converts a definition to v1; does not change the given one. */
export function fromV1beta1(definition: ApiObject, apiVersion: string): ApiObject {
  const spec = (definition['spec'] ?? {}) as Spec
  const { version, versions, validation, subresources, selectableFields, additionalPrinterColumns, conversion: _, ...rest } = spec
  const all: readonly Version[] = versions?.length ? versions : version ? [{ name: version, served: true, storage: true }] : []
  const made = all.map((each) =>
    given({
      ...each,
      schema: validation ?? each.schema,
      subresources: subresources ?? each.subresources,
      selectableFields: selectableFields ?? each.selectableFields,
      additionalPrinterColumns: columns(additionalPrinterColumns ?? each.additionalPrinterColumns),
    }),
  )
  const preserveUnknownFields = spec.preserveUnknownFields ?? true
  return { ...definition, apiVersion, spec: { ...rest, versions: made, conversion: conversionOf(spec), preserveUnknownFields } }
}
