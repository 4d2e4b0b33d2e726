import type { AnyModel, AnySchema, Field, JsonObject, Message, Scalar, Schema } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'
import { keywords, listKeywords, plainScalars, rawExtension, unionKeywords, zeroOf } from './keywords.ts'
import { inOrder, sorted } from './schema-order.ts'

/** Creates references, and adds the referenced models. */
export interface References {
  message(message: Message): JsonObject
  machinery(path: string, schema: JsonObject): JsonObject
  any(model: AnyModel): JsonObject
}

/** Fields of whole objects that their messages don't contain. */
export const typeMeta = {
  apiVersion: { description: 'APIVersion defines the group and version of the schema that this object is written in.', type: 'string' },
  kind: { description: 'Kind of this object, in CamelCase. It never changes.', type: 'string' },
} as const satisfies JsonObject

/** Writes built-in messages as OpenAPI schemas; their own keywords are in no particular order. */
export function createSchemaWriter(dialect: Dialect, references: References): (message: Message) => JsonObject {
  const write = (schema: Schema): JsonObject => {
    switch (schema.type) {
      case 'message':
        return references.message(schema)
      case 'list':
        return { type: 'array', items: write(schema.items), ...listKeywords(schema), ...keywords(schema.facets, dialect) }
      case 'map': {
        const atomic = schema.atomic && { 'x-kubernetes-map-type': 'atomic' }
        return { type: 'object', additionalProperties: write(schema.values), ...atomic, ...keywords(schema.facets, dialect) }
      }
      default:
        return scalar(schema)
    }
  }

  const scalar = (schema: Scalar | AnySchema): JsonObject => {
    if (schema.type === 'any') return references.any(schema.model ?? rawExtension)
    const model = dialect.scalars[schema.type]
    if (model) return references.machinery(model.name, model.schema)
    return { ...plainScalars[schema.type], ...keywords(schema.facets, dialect) }
  }

  const extended = (written: JsonObject, extra: JsonObject): JsonObject => {
    if (Object.keys(extra).length === 0) return written
    return { ...('$ref' in written ? dialect.besides(written) : written), ...extra }
  }

  /** Fields that can't be unset have the zero value as default. */
  const defaultOf = ({ schema, pointer, omitEmpty, ...field }: Field) => {
    if (!dialect.defaults) return undefined
    const always = !pointer && (schema.type === 'message' || !omitEmpty)
    return field.default ?? (always ? zeroOf(schema) : undefined)
  }

  const property = (field: Field): JsonObject => {
    const value = defaultOf(field)
    const written = extended(write(field.schema), {
      ...(field.doc !== '' && { description: field.doc }),
      ...(value !== undefined && { default: value }),
      ...(field.patchStrategy && { 'x-kubernetes-patch-strategy': field.patchStrategy }),
      ...(field.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...field.extensions,
    })
    return inOrder(written)
  }

  return (schema: Message): JsonObject => {
    const properties: JsonObject = schema.typeMeta ? { ...typeMeta } : {}
    for (const [name, field] of schema.json) properties[name] = property(field)
    const required = [...schema.json].filter(([, field]) => field.required).map(([name]) => name)
    return {
      ...(schema.doc !== '' && { description: schema.doc }),
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties: sorted(properties) }),
      ...(required.length > 0 && { required }),
      ...(schema.atomic && { 'x-kubernetes-map-type': 'atomic' }),
      ...(schema.unions && { 'x-kubernetes-unions': schema.unions.map(unionKeywords) }),
      ...keywords(schema.facets, dialect),
    }
  }
}
