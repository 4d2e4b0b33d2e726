/** Type checks of values that were not decoded: custom resources. */
import type { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import type { Json, Schema } from './model.ts'
import { typeMessage } from './wording.ts'

const names = {
  message: ['object'],
  map: ['object'],
  list: ['array'],
  any: [],
  string: ['string'],
  bytes: ['string'],
  time: ['string'],
  microTime: ['string'],
  duration: ['string'],
  quantity: ['integer', 'string'],
  bool: ['boolean'],
  int32: ['integer'],
  int64: ['integer'],
  double: ['number'],
  intOrString: ['integer', 'string'],
} as const satisfies Record<Schema['type'], readonly string[]>

/** The type of a value as OpenAPI names it. */
function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** A check that adds an error, and returns false, when the value is not of the schema's type. */
export function typeCheck(schema: Schema): (value: Json, path: FieldPath, errors: FieldErrors) => boolean {
  const allowed: readonly string[] = names[schema.type]
  const nullable = schema.facets?.nullable === true
  return (value, path, errors) => {
    const type = typeOf(value)
    if (allowed.length === 0 || allowed.includes(type)) return true
    if (type === 'integer' && allowed.includes('number')) return true
    if (type === 'null' && nullable) return true
    errors.typeInvalid(path, type, `${typeMessage(path, allowed.join(','))}: ${JSON.stringify(type)}`)
    return false
  }
}
