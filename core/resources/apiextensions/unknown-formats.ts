/** Formats in schemas of custom resources that mean nothing to this server: values of them are not checked. */
import { isKnownFormat } from '../../schema/openapi-formats.ts'
import { itemsOf, othersOf, type SchemaNode } from './schema-nodes.ts'

/** Formats of numbers are told apart by the type of their schema. */
function isUnknown({ type, format }: SchemaNode): boolean {
  return typeof format === 'string' && format !== '' && !isKnownFormat(type === undefined || type === '' ? [] : [type], format)
}

/** The unknown formats of a schema and of all below it, each once. */
export function unknownFormats(schema: SchemaNode): Set<string> {
  const found = new Set<string>()
  const open = [schema]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isUnknown(node)) found.add(node['format'] as string)
    const { not, allOf = [], anyOf = [], oneOf = [], properties = {} } = node
    for (const each of [not, itemsOf(node), othersOf(node), ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)]) {
      if (each) open.push(each)
    }
  }
  return found
}

interface Definition {
  readonly spec: { readonly versions: readonly { readonly schema?: { readonly openAPIV3Schema?: unknown } | undefined }[] }
}

const formatsOf = ({ spec }: Definition) =>
  new Set(
    (spec.versions ?? []).flatMap(({ schema }) =>
      schema?.openAPIV3Schema ? [...unknownFormats(schema.openAPIV3Schema as SchemaNode)] : [],
    ),
  )

/** Warnings about formats that a definition has and `old` has not. */
export function formatWarnings(definition: Definition, old: Definition | undefined): string[] {
  const before = old ? formatsOf(old) : new Set<string>()
  return [...formatsOf(definition)].filter((format) => !before.has(format)).map((format) => `unrecognized format ${JSON.stringify(format)}`)
}
