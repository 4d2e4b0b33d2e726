/** CEL types of schemas, with the sizes that cost estimates need (apiserver, pkg/cel/common/schemas.go). */
import { greatest } from '../common/lists.ts'
import type { Field, List, MapOf, Message, Scalar, Schema } from '../schema/model.ts'
import { escapeName, isReserved } from './escaping.ts'
import {
  boolType,
  bytesType,
  type CelField,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from './types.ts'

/** Maximum request bytes, quotes and brackets included. */
export const maxRequestBytes = 3 * 1024 * 1024

export interface SchemaTypeOptions {
  /** Name of the type, unique in its environment; names of field types are derived from it. */
  readonly name: string
  /** The root of a resource: `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` exist whatever the schema says. */
  readonly root?: boolean
}

interface Typed {
  readonly type: CelType
  /** Bytes of the shortest JSON. */
  readonly minSize: number
}

const sized = (type: CelType, minSize: number, rest: Partial<CelType> = {}): Typed => ({ type: { ...type, ...rest }, minSize })

const length = ({ facets }: Schema): number => Math.max(0, facets?.maxLength ?? 0)

function textOf(schema: Scalar): Typed {
  const { enum: values, maxLength } = schema.facets ?? {}
  if (maxLength !== undefined) return sized(stringType, 2, { maxElements: 4 * length(schema) })
  const texts = (values ?? []).filter((each) => typeof each === 'string')
  if (values && values.length > 0)
    return sized(stringType, 2, {
      maxElements: greatest(
        texts.map((each) => each.length),
        0,
      ),
    })
  return sized(stringType, 2, { maxElements: maxRequestBytes - 2 })
}

/** String formats with a type of their own. */
const formatted: { readonly [format: string]: ((schema: Schema) => Typed) | undefined } = {
  byte: (schema) =>
    sized(bytesType, 2, { stored: 'bytes', maxElements: schema.facets?.maxLength === undefined ? maxRequestBytes - 2 : length(schema) }),
  duration: () => sized(durationType, 3, { stored: 'duration', maxElements: 32 }),
  date: () => sized(timestampType, 12, { stored: 'date', maxElements: 12 }),
  'date-time': () => sized(timestampType, 21, { stored: 'timestamp', maxElements: 32 }),
}

const text = (schema: Scalar): Typed => formatted[schema.facets?.format ?? '']?.(schema) ?? textOf(schema)

const integer = () => sized(intType, 1)
const scalars: { readonly [type in Scalar['type']]: (schema: Scalar) => Typed } = {
  string: text,
  bool: () => sized(boolType, 4),
  int32: integer,
  int64: integer,
  double: () => sized(doubleType, 1, { stored: 'double' }),
  bytes: (schema) => formatted['byte']?.(schema) as Typed,
  time: (schema) => formatted['date-time']?.(schema) as Typed,
  microTime: (schema) => formatted['date-time']?.(schema) as Typed,
  duration: textOf,
  quantity: textOf,
  intOrString: (schema) =>
    sized(dynType, 1, { maxElements: schema.facets?.maxLength === undefined ? maxRequestBytes - 2 : 4 * length(schema) }),
}

function listOf(schema: List, name: string): Typed | undefined {
  const items = typed(schema.items, `${name}.@idx`)
  if (!items) return undefined
  const { maxItems } = schema.facets ?? {}
  return sized(listType(items.type), 2, {
    maxElements: maxItems === undefined ? Math.floor((maxRequestBytes - 2) / (items.minSize + 1)) : Math.max(0, maxItems),
    ...(schema.listType && { listType: schema.listType }),
    ...(schema.keys && { listKeys: schema.keys }),
  })
}

function mapOf(values: Schema, facets: MapOf['facets'], name: string): Typed | undefined {
  const found = typed(values, `${name}.@elem`)
  if (!found) return undefined
  const max = facets?.maxProperties
  return sized(mapType(stringType, found.type), 2, {
    maxElements: max === undefined ? Math.floor((maxRequestBytes - 2) / (found.minSize + 6)) : Math.max(0, max),
  })
}

const rootText = { type: { ...stringType, maxElements: maxRequestBytes - 2 }, json: '' }
const always = (name: string): { readonly [field: string]: CelField } => ({
  apiVersion: { ...rootText, json: 'apiVersion' },
  kind: { ...rootText, json: 'kind' },
  metadata: {
    json: 'metadata',
    type: objectType(`${name}.metadata`, { name: rootText.type, generateName: rootText.type }),
  },
})

/** Fields are typed on demand, because schemas may be recursive. */
function messageOf(schema: Message, name: string, root: boolean): Typed {
  const fixed = root || schema.facets?.embeddedResource === true ? always(name) : schema.typeMeta ? typeMeta : {}
  const known = new Map<string, CelField | undefined>()
  const byName = new Map<string, readonly [json: string, field: Field]>()
  for (const [json, field] of schema.json) {
    const escaped = escapeName(json)
    if (escaped !== undefined) byName.set(escaped, [json, field])
  }
  const find = (field: string): CelField | undefined => {
    const [json = '', own] = byName.get(isReserved(field) ? `__${field}__` : field) ?? []
    // Rules of custom resources see only the metadata that their schemas may restrict.
    const isFixed = schema.open || field !== 'metadata' || !own
    if (Object.hasOwn(fixed, field) && isFixed) return fixed[field]
    const found = own && typed(own.schema, `${name}.${field}`)
    return found && { type: found.type, json }
  }
  const field = (asked: string): CelField | undefined => {
    if (!known.has(asked)) known.set(asked, find(asked))
    return known.get(asked)
  }
  const fieldNames = [...new Set([...Object.keys(fixed), ...byName.keys()])]
  return { type: { kind: 'object', name, parameters: [], field, fieldNames }, minSize: sizeOfRequired(schema) }
}

const { apiVersion, kind } = always('')
const typeMeta: { readonly [field: string]: CelField } = { ...(apiVersion && { apiVersion }), ...(kind && { kind }) }

function sizeOfRequired(schema: Message): number {
  let size = 2
  for (const [json, field] of schema.json) {
    if (field.required && field.default === undefined) size += json.length + minSizeOf(field.schema) + 4
  }
  return size
}

/** Bytes of the shortest JSON value of the schema. */
export function minSizeOf(schema: Schema): number {
  switch (schema.type) {
    case 'message':
      return schema.json.size === 0 && schema.additional ? 2 : sizeOfRequired(schema)
    case 'list':
    case 'map':
      return 2
    case 'any':
      return 0
    default:
      return scalars[schema.type](schema).minSize
  }
}

/** Undefined: not accessible in expressions. */
function typed(schema: Schema, name: string, root = false): Typed | undefined {
  if (schema.facets?.untyped) return undefined
  switch (schema.type) {
    case 'list':
      return listOf(schema, name)
    case 'map':
      return mapOf(schema.values, schema.facets, name)
    case 'any':
      return undefined
    case 'message':
      return schema.json.size === 0 && schema.additional && !root
        ? mapOf(schema.additional, schema.facets, name)
        : messageOf(schema, name, root)
    default:
      return scalars[schema.type](schema)
  }
}

/** The CEL type of a schema. Undefined: not accessible in expressions, such as values with preserved unknown fields. */
export function celTypeOf(schema: Schema, { name, root = false }: SchemaTypeOptions): CelType | undefined {
  return typed(schema, name, root)?.type
}
