/**
 * Numbers that are written with a fraction or an exponent (`1.0`, `1e3`). Go's JSON decoder refuses them in places for integers, whatever
 * their value, and gives quantities their text. The parser makes symbols of them, so that nothing takes them for an object, a text or
 * a number before `settle` has looked at the schema.
 */
import { set } from './members.ts'
import type { Json, Schema } from './model.ts'

export const spelledNumber = (text: string): Json => Symbol(text) as unknown as Json

/** The text of such a number; undefined for all other values. */
export const spelledText = (value: unknown): string | undefined => (typeof value === 'symbol' ? value.description : undefined)

const integers: ReadonlySet<Schema['type']> = new Set(['int32', 'int64', 'intOrString'])

/** The value with numbers where the schema takes any; symbols stay where it wants integers, and are refused by `decode`. Changes it in place. */
export function settle(value: Json, schema: Schema | undefined): Json {
  const text = spelledText(value)
  if (text !== undefined) {
    if (schema !== undefined && integers.has(schema.type)) return value
    return schema?.type === 'quantity' ? text : Number(text)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = schema?.type === 'list' ? schema.items : undefined
    for (const [index, item] of value.entries()) value[index] = settle(item, items)
    return value
  }
  for (const key of Object.keys(value)) set(value, key, settle(value[key] as Json, memberOf(schema, key)))
  return value
}

function memberOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'message') return schema.json.get(key)?.schema
  return schema?.type === 'map' ? schema.values : undefined
}

/** The same for the operations of a JSON patch: a value that is added has the schema of what stands at its path. */
export function settleOperations(operations: Json, schema: Schema): Json {
  if (!Array.isArray(operations)) return settle(operations, undefined)
  for (const operation of operations) {
    if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) continue
    const { op, path } = operation
    const isAdded = op !== 'test' && typeof path === 'string'
    for (const key of Object.keys(operation))
      set(operation, key, settle(operation[key] as Json, isAdded && key === 'value' ? schemaAt(schema, path) : undefined))
  }
  return operations
}

/** The schema of what a JSON pointer (RFC 6901) points to. */
function schemaAt(root: Schema, pointer: string): Schema | undefined {
  let schema: Schema | undefined = root
  for (const token of pointer.split('/').slice(1)) {
    if (schema === undefined) break
    schema = schema.type === 'list' ? schema.items : memberOf(schema, token.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return schema
}
