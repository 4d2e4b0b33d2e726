/** Type checks for custom resources, whose decoding does not ensure types. */
import type { FieldErrors } from '../field-error.ts'
import type { FieldPath } from '../field-path.ts'
import type { Json } from '../model.ts'
import { isWhole, typeMessage } from './facets.ts'
import type { Shape } from './shape.ts'

type TypeCheck = (value: Json, path: FieldPath, errors: FieldErrors) => boolean

/** OpenAPI type of a value. */
function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return typeof value === 'bigint' ? 'integer' : typeof value
}

/** Default format of a number, for errors about values of other formats. */
const formatOf = (type: string) => (type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '')

function refuse(path: FieldPath, expected: string, actual: string, errors: FieldErrors): false {
  errors.typeInvalid(path, actual, `${typeMessage(path, expected)}: ${JSON.stringify(actual)}`)
  return false
}

/** A check that adds an error and returns false when the value has none of the types; undefined when all types are allowed. */
export function typeCheck({ types, facets }: Shape): TypeCheck | undefined {
  if (types.length === 0) return undefined
  const { format, nullable = false } = facets
  const named = types.join(',')
  const numeric = types.includes('number') || types.includes('integer')
  return (value, path, errors) => {
    const type = typeOf(value)
    if (types.includes(type)) return true
    if (type === 'null') return nullable || refuse(path, named, type, errors)
    if (type === 'integer' && types.includes('number')) return true
    // Integers beyond 2^53 are bigints; such a number had a fraction or exponent, or more than 64 bits.
    if (type === 'number' && types.includes('integer') && isWhole(value as number)) return true
    if (format === undefined) return refuse(path, named, type, errors)
    // If there is a format, the reference compares and names formats instead of types.
    if (type === 'string' || type === 'array') return !numeric || refuse(path, named, type, errors)
    return refuse(path, format, formatOf(type), errors)
  }
}
