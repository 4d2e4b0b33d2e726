/** What the reference's Go structs say about a schema: names of types, for errors, and which fields are omitted. */
import type { Field, Message, Schema } from '../model.ts'
import { scalarRules } from '../scalars.ts'

/** Name of a message's Go struct. */
export const structName = ({ name, goPackage = 'v1' }: Message) => `${goPackage}.${name}`

/** Name of a field's type, if it has one. */
export const typeNameOf = ({ goType: name }: Field, { goPackage = 'v1' }: Message) => name?.replaceAll(/(^|\]|\[)\./g, `$1${goPackage}.`)

/** Go's name of a schema's type. @param named the name of a text type or map type, if it has one. */
export function goType(schema: Schema, named?: string): string {
  switch (schema.type) {
    case 'message':
      return structName(schema)
    case 'list':
      return schema.goType ?? `[]${goType(schema.items, named)}`
    case 'map':
      return named ?? `map[string]${goType(schema.values)}`
    case 'string':
      return named ?? 'string'
    case 'any':
      return schema.model === undefined ? 'runtime.RawExtension' : `v1.${schema.model.path.split('.').at(-1)}`
    default:
      return scalarRules[schema.type].typeName
  }
}

/** Whether the encoder omits the field when it is absent, and when it is zero. */
export function omits(field: Field): { absent: boolean; zero: boolean } {
  const { type } = field.schema
  if (field.pointer) return { absent: field.omitEmpty, zero: false }
  if (type === 'message' || type === 'any') return { absent: field.omitZero === true, zero: field.omitZero === true }
  const always = type !== 'list' && type !== 'map' && !scalarRules[type].omitsZero
  const leftOut = field.omitZero === true || (field.omitEmpty && !always)
  return { absent: leftOut, zero: leftOut }
}

/** Names of the messages whose inlined fields contain this one, with a dot behind each. */
export function inlinedPath(schema: Message, name: string): string {
  for (const field of Object.values(schema.fields)) {
    if (!field.inline) continue
    const inlined = field.schema as Message
    if (inlined.json.has(name)) return `${inlined.name}.${inlinedPath(inlined, name)}`
  }
  return ''
}
