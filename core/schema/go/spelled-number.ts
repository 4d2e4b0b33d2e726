/**
 * Numbers written with fraction or exponent (`1.0`, `1e3`). Go's JSON decoder rejects them for integers, whatever
 * their value, and quantities keep their text. The parser turns them into symbols, so that nothing mistakes them for an object, string or
 * number before `settle` has applied the schema.
 */
import { set } from '../json/members.ts'
import type { Json, JsonObject, Schema } from '../model.ts'

export const spelledNumber = (text: string): Json => Symbol(text) as unknown as Json

/** The text of such a number; undefined for other values. */
export const spelledText = (value: unknown): string | undefined => (typeof value === 'symbol' ? value.description : undefined)

const integers: ReadonlySet<Schema['type']> = new Set(['int32', 'int64', 'intOrString'])

/** Maximum characters of a number in an error. */
const maxShown = 64

/** A number exceeds the range of a double. */
export class NumberRangeError extends Error {
  /** `place`: where Go reads the number to. */
  constructor(text: string, place = 'value') {
    super(`json: cannot unmarshal number ${text.slice(0, maxShown)} into Go ${place} of type float64`)
  }
}

function settleNumber(value: Json, text: string, schema: Schema | undefined): Json {
  if (schema?.type === 'quantity') return text
  if (schema !== undefined && integers.has(schema.type)) return value
  const number = Number(text)
  if (Number.isFinite(number)) return number
  if (schema === undefined || schema.type === 'any') throw new NumberRangeError(text)
  // The field has another type, and refuses it.
  return schema.type === 'double' ? value : number
}

/** Converts all symbols of a value that no field takes: Go does not look at its numbers. */
function settleUnknown(value: Json): Json {
  const text = spelledText(value)
  if (text !== undefined) return Number(text)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = settleUnknown(item)
  else for (const key of Object.keys(value)) set(value, key, settleUnknown(value[key] as Json))
  return value
}

/**
 * Converts symbols to numbers where the schema accepts them; those for integers stay, and `decode` rejects them. Changes the value in place.
 * Throws a NumberRangeError for a number beyond a double where the schema does not tell what it is.
 */
export function settle(value: Json, schema: Schema | undefined): Json {
  const text = spelledText(value)
  if (text !== undefined) return settleNumber(value, text, schema)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    // Bytes as a list of integers.
    if (schema?.type === 'bytes') return value
    const items = schema?.type === 'list' ? schema.items : undefined
    for (const [index, item] of value.entries()) value[index] = settle(item, items)
    return value
  }
  for (const key of Object.keys(value)) {
    const member = memberOf(schema, key)
    const own = value[key] as Json
    set(value, key, schema?.type === 'message' && member === undefined ? settleUnknown(own) : settle(own, member))
  }
  return value
}

function checkRange(value: Json, place?: string): void {
  const text = spelledText(value)
  if (text !== undefined && !Number.isFinite(Number(text))) throw new NumberRangeError(text, place)
  if (typeof value !== 'object' || value === null) return
  for (const key in value) checkRange((value as JsonObject)[key] as Json, place)
}

/** As `settle`, for a merge patch: Go reads all of it before it knows the schema. */
export function settlePatch(patch: Json, schema: Schema): Json {
  checkRange(patch)
  return settle(patch, schema)
}

/** The schema of a member of an object; undefined: none is known. */
export function memberOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'message') return schema.json.get(key)?.schema
  return schema?.type === 'map' ? schema.values : undefined
}

/** As `settle`, for a JSON patch: an added value has the schema of its path. */
export function settleOperations(operations: Json, schema: Schema): Json {
  checkRange(operations, 'struct field jsonPatchOp.value')
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

/** The schema at a JSON pointer (RFC 6901). */
function schemaAt(root: Schema, pointer: string): Schema | undefined {
  let schema: Schema | undefined = root
  for (const token of pointer.split('/').slice(1)) {
    if (schema === undefined) break
    schema = schema.type === 'list' ? schema.items : memberOf(schema, token.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return schema
}
