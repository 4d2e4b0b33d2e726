/** Literals of Go types as objects of the API: names of fields as in JSON, fields that a version has not left out. */
import type { Json, JsonObject, Message, Schema } from '../../../core/schema/model.ts'
import { isLiteral, isName, type Literal, type Value } from './go-literals.ts'

/** The value where the schema has this place; undefined: it has no such value. */
export function jsonOf(value: Value, schema: Schema): Json | undefined {
  if (value === undefined || isName(value)) return undefined
  if (!isLiteral(value)) return scalarOf(value, schema)
  if (schema.type === 'message') return messageOf(value, schema)
  if (schema.type === 'list') return itemsOf(value, schema.items)
  if (schema.type === 'map') return membersOf(value, schema.values)
  return undefined
}

/** Types that are other in Go than in JSON. */
const scalarTypes: { readonly [type: string]: readonly string[] } = {
  string: ['string'],
  boolean: ['bool'],
  number: ['int32', 'int64', 'intOrString', 'double'],
}

function scalarOf(value: Json, schema: Schema): Json | undefined {
  if (value === null) return undefined
  if (typeof value === 'string' && ['intOrString', 'quantity', 'bytes'].includes(schema.type)) return value
  return scalarTypes[typeof value]?.includes(schema.type) ? value : undefined
}

function messageOf({ entries }: Literal, schema: Message): JsonObject {
  const fields = new Map([...schema.json].map(([name, field]) => [name.toLowerCase(), [name, field.schema] as const]))
  const result: JsonObject = {}
  for (const [key, value] of entries) {
    if (!isName(key)) continue
    const name = key.text === 'ObjectMeta' || key.text === 'ListMeta' ? 'metadata' : key.text.toLowerCase()
    const field = fields.get(name)
    if (field) {
      const member = jsonOf(value, field[1])
      if (member !== undefined) result[field[0]] = member
      // A struct without a name in JSON: its fields are those of the message.
    } else if (isLiteral(value)) Object.assign(result, messageOf(value, schema))
  }
  return result
}

const itemsOf = ({ items }: Literal, schema: Schema): Json[] =>
  items.map((item) => jsonOf(item, schema)).filter((item): item is Json => item !== undefined)

function membersOf({ entries }: Literal, schema: Schema): JsonObject {
  const result: JsonObject = {}
  for (const [key, value] of entries) {
    const member = jsonOf(value, schema)
    if (typeof key === 'string' && member !== undefined) result[key] = member
  }
  return result
}
