import type { AnySchema, Field, JsonObject, Message, Scalar, Schema } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'
import { builtinKeywords, customKeywords, listKeywords, plainScalars, zeroOf } from './keywords.ts'

/** Answers with references, and sees to it that there is what they refer to. */
export interface References {
  /** Undefined when the message is to be written in place. */
  message(message: Message): JsonObject | undefined
  machinery(path: string, schema: JsonObject): JsonObject
}

const typeMeta: JsonObject = {
  apiVersion: { type: 'string', description: 'Group and version of the schema that this object is written in.' },
  kind: { type: 'string', description: 'Kind of this object, in CamelCase. It never changes.' },
}

const anyValue: JsonObject = { description: 'Any JSON value.' }

/**
 * Writes messages as the bodies of OpenAPI schemas. Within a custom resource nothing but shared messages is referred to, and all
 * constraints are shown.
 */
export function createSchemaWriter(dialect: Dialect, references: References): (message: Message, custom: boolean) => JsonObject {
  const keywords = ({ facets }: Schema, custom: boolean) => (custom ? customKeywords(facets, dialect.nullable) : builtinKeywords(facets))

  const write = (schema: Schema, custom: boolean): JsonObject => {
    if (custom && !dialect.nullable && schema.facets?.nullable) return {}
    switch (schema.type) {
      case 'message':
        return references.message(schema) ?? message(schema, custom)
      case 'list':
        return { type: 'array', items: item(schema.items, custom), ...listKeywords(schema), ...keywords(schema, custom) }
      case 'map': {
        const atomic = schema.atomic && { 'x-kubernetes-map-type': 'atomic' }
        return { type: 'object', additionalProperties: item(schema.values, custom), ...atomic, ...keywords(schema, custom) }
      }
      default:
        return scalar(schema, custom)
    }
  }

  const scalar = (schema: Scalar | AnySchema, custom: boolean): JsonObject => {
    if (schema.type === 'any') {
      if (custom) return { 'x-kubernetes-preserve-unknown-fields': true, ...keywords(schema, custom) }
      return references.machinery('runtime.RawExtension', anyValue)
    }
    const model = dialect.scalars[schema.type]
    if (model && !custom) return references.machinery(model.name, model.schema)
    return { ...plainScalars[schema.type], ...keywords(schema, custom) }
  }

  /** What a list or map holds. */
  const item = (schema: Schema, custom: boolean): JsonObject => {
    const zero = dialect.defaults && !custom ? zeroOf(schema) : undefined
    return zero === undefined ? write(schema, custom) : extended(write(schema, custom), { default: zero })
  }

  const extended = (written: JsonObject, extra: JsonObject): JsonObject => {
    if (Object.keys(extra).length === 0) return written
    return { ...('$ref' in written ? dialect.besides(written) : written), ...extra }
  }

  /** The zero value is a default where a field can't be unset. */
  const defaultOf = ({ schema, pointer, omitEmpty, ...field }: Field, custom: boolean) => {
    if (!dialect.defaults) return undefined
    const always = !custom && !pointer && (schema.type === 'message' || !omitEmpty)
    return field.default ?? (always ? zeroOf(schema) : undefined)
  }

  const property = (field: Field, custom: boolean): JsonObject => {
    const value = defaultOf(field, custom)
    return extended(write(field.schema, custom), {
      ...(field.doc !== '' && { description: field.doc }),
      ...(value !== undefined && { default: value }),
      ...(field.patchStrategy && { 'x-kubernetes-patch-strategy': field.patchStrategy }),
      ...(field.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
    })
  }

  const message = (schema: Message, custom: boolean): JsonObject => {
    const body: JsonObject = { ...(schema.doc !== '' && { description: schema.doc }), type: 'object' }
    if (!(dialect.hideOpenObjects && custom && schema.facets?.preserveUnknown)) {
      const properties: JsonObject = schema.typeMeta ? { ...typeMeta } : {}
      for (const [name, field] of schema.json) properties[name] = property(field, custom)
      const required = [...schema.json].filter(([, field]) => field.required).map(([name]) => name)
      if (Object.keys(properties).length > 0) body['properties'] = properties
      if (required.length > 0) body['required'] = required
      if (schema.additional) body['additionalProperties'] = item(schema.additional, custom)
    }
    return { ...body, ...(schema.atomic && { 'x-kubernetes-map-type': 'atomic' }), ...keywords(schema, custom) }
  }

  return message
}
