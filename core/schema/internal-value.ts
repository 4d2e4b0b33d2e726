/**
 * Values as the reference's errors show them: it validates structs without JSON names, so that every field is shown, under its Go name.
 * Types of meta/v1 are the same for clients and inside of the reference, and keep their JSON form.
 */

import type { FieldPath } from './field-path.ts'
import { givenEmpty } from './json/given-empty.ts'
import { isObject } from './json/is-object.ts'
import type { Field, Json, JsonObject, Message, Schema } from './model.ts'
import { scalarRules } from './scalars.ts'

/** First words of names that Go writes in another way than with one capital. */
const spelled =
  'API AWS CA CEL CIDR CIDRs CSI DNS FC FS GCE GMSA GRPC HTTP ID IP IPs IQN ISCSI NFS OS PD QOS RBD SE SSL TCP TLS TTL TTY UID URI URL'
const words = new Map(spelled.split(' ').map((word) => [word.toLowerCase(), word]))

function goName(name: string): string {
  const [first = ''] = /^[a-z\d]*/.exec(name) ?? []
  return (words.get(first) ?? first.charAt(0).toUpperCase() + first.slice(1)) + name.slice(first.length)
}

/** Zero value of a Go field. */
function unset({ pointer, schema }: Field): Json {
  if (pointer) return null
  if (schema.type === 'message') return internalValue(schema, {})
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'any' ? null : scalarRules[schema.type].zero
}

function internalMessage(schema: Message, value: JsonObject): JsonObject {
  const shown: JsonObject = {}
  for (const name of schema.internalOrder ?? Object.keys(schema.fields)) {
    const field = schema.fields[name]!
    if (field.inline) {
      Object.assign(shown, internalMessage(field.schema as Message, value))
      continue
    }
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    // Go embeds the metadata of objects and of templates, which are fields of their own in JSON.
    if (name === 'metadata' && isObject(member)) Object.assign(shown, member)
    else if (name !== 'metadata')
      shown[field.internalName ?? goName(name)] =
        member === undefined || member === null ? (givenEmpty(value, name) ?? unset(field)) : internalValue(field.schema, member)
  }
  return schema.internalForm?.(shown, value) ?? shown
}

/** A value of the schema, as errors show it. */
export function internalValue(schema: Schema, value: Json): Json {
  switch (schema.type) {
    case 'message':
      return isObject(value) && !schema.versioned && !schema.open ? internalMessage(schema, value) : value
    case 'list':
      return Array.isArray(value) ? value.map((item) => internalValue(schema.items, item)) : value
    case 'map':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, internalValue(schema.values, member)]))
        : value
    default:
      return value
  }
}

/** The schema at a path of an object, and the innermost field around it; undefined where the path is not about a field. */
function placeAt(root: Schema, path: FieldPath): { readonly schema: Schema; readonly field: Field | undefined } | undefined {
  let schema: Schema | undefined = root
  let field: Field | undefined
  for (const step of path.steps()) {
    if (schema?.type === 'message') {
      field = schema.json.get(String(step))
      schema = field?.schema
    } else if (schema?.type === 'list') schema = typeof step === 'number' ? schema.items : undefined
    else schema = schema?.type === 'map' ? schema.values : undefined
  }
  return schema && { schema, field }
}

/** Whether the text at a path of an object has a named type in Go, or is an item of a list of such texts. */
export function isNamedText(root: Schema, path: FieldPath): boolean {
  const place = placeAt(root, path)
  return place?.schema.type === 'string' && place.field?.goType !== undefined
}

/** A value that an error at a path of an object shows. */
export function internalValueAt(root: Schema, path: FieldPath, value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const place = placeAt(root, path)
  return place === undefined ? value : internalValue(place.schema, value)
}
