/** Unknown formats in schemas of custom resources, whose values are not validated. */
import { isKnownFormat } from '../../schema/openapi/formats.ts'
import { everyNode, type SchemaNode } from './schema-nodes.ts'

/** Number formats depend on the schema's type. */
function isUnknown({ type, format }: SchemaNode): boolean {
  return typeof format === 'string' && format !== '' && !isKnownFormat(type === undefined || type === '' ? [] : [type], format)
}

interface Definition {
  readonly spec: { readonly versions: readonly { readonly schema?: { readonly openAPIV3Schema?: unknown } | undefined }[] }
}

function formatsOf({ spec }: Definition): Set<string> {
  const found = new Set<string>()
  for (const { schema } of spec.versions ?? []) {
    if (!schema?.openAPIV3Schema) continue
    for (const node of everyNode(schema.openAPIV3Schema as SchemaNode)) if (isUnknown(node)) found.add(node['format'] as string)
  }
  return found
}

/** Warnings about unknown formats that `old` does not have. */
export function formatWarnings(definition: Definition, old: Definition | undefined): string[] {
  const before = old ? formatsOf(old) : new Set<string>()
  return [...formatsOf(definition)].filter((format) => !before.has(format)).map((format) => `unrecognized format ${JSON.stringify(format)}`)
}
