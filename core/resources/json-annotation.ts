/** Annotations that hold JSON of a known type, as Go's encoding/json reads them: it finds members whatever their case. */
import { DecodeError, decode } from '../schema/decode.ts'
import { isObject } from '../schema/json/is-object.ts'
import { set } from '../schema/json/members.ts'
import { syntaxFault } from '../schema/json/syntax.ts'
import { parseJsonText } from '../schema/json/text.ts'
import type { Infer, Json, JsonObject, Message, Schema } from '../schema/model.ts'
import { describe } from '../schema/scalars.ts'

/** The fault, in Go's words, of an annotation that is not what it should be. */
export class AnnotationFault extends Error {}

function spelled(value: Json, schema: Schema): Json {
  if (Array.isArray(value)) return schema.type === 'list' ? value.map((item) => spelled(item, schema.items)) : value
  if (schema.type !== 'message' || !isObject(value)) return value
  const names = new Map([...schema.json].map(([name, field]) => [name.toLowerCase(), [name, field.schema] as const]))
  const result: JsonObject = {}
  for (const key in value) {
    const [name, member] = names.get(key.toLowerCase()) ?? []
    if (name !== undefined && member !== undefined) set(result, name, spelled(value[key] as Json, member))
  }
  return result
}

/** Throws AnnotationFault. */
function parse(text: string): Json {
  const fault = syntaxFault(new TextEncoder().encode(text))
  if (fault !== undefined) throw new AnnotationFault(fault)
  return parseJsonText(text)
}

function decoded<M extends Message>(schema: M, value: Json): Infer<M> {
  try {
    return decode(schema, spelled(value, schema) ?? {}).value as Infer<M>
  } catch (error) {
    throw error instanceof DecodeError ? new AnnotationFault(error.message) : error
  }
}

/** One message, an empty one for null. Throws AnnotationFault. */
export function readAnnotation<M extends Message>(text: string, schema: M): Infer<M> {
  return decoded(schema, parse(text))
}

/** A list of messages, an empty one for null. @param typeName Go's name of the list's type. Throws AnnotationFault. */
export function readListAnnotation<M extends Message>(text: string, schema: M, typeName: string): Infer<M>[] {
  const items = parse(text) ?? []
  if (!Array.isArray(items))
    throw new AnnotationFault(`json: cannot unmarshal ${describe(items, typeName)} into Go value of type ${typeName}`)
  return items.map((item) => decoded(schema, item))
}
