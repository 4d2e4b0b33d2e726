/** JSON form and zero value of each scalar type. */
import { canonicalBase64 } from './base64.ts'
import { DecodeError } from './decode-error.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { printJson } from './json-text.ts'
import type { Json, ScalarType } from './model.ts'
import { canonicalQuantity } from './quantity.ts'
import { spelledText } from './spelled-number.ts'
import { canonicalTime } from './time.ts'

export interface ScalarRules {
  /** Type name in errors. */
  readonly typeName: string
  /**
   * The canonical value; undefined for a wrong JSON type, null for a value that means unset.
   * @throws DecodeError when a text is malformed.
   */
  readonly read: (value: Json) => Json | undefined
  /** The value written for an unset field. */
  readonly zero: Json
  /** Whether `omitEmpty` omits the zero value; Go structs are written regardless. */
  readonly omitsZero: boolean
}

const int32Limit = 2 ** 31
/** Error of a type that decodes itself and therefore does not know its field. */
const foreign = (value: Json, typeName: string) =>
  new DecodeError(`json: cannot unmarshal ${describe(value, typeName)} into Go value of type ${typeName}`)

/** JSON type name for errors. */
export function jsonType(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint' || spelledText(value) !== undefined) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function text(parse: (text: string) => Json): ScalarRules['read'] {
  return (value) => {
    if (typeof value !== 'string') throw foreign(value, 'string')
    return parse(value)
  }
}

function integer(limit: number): ScalarRules['read'] {
  return (value) => (typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit ? value : undefined)
}

/** Integers beyond a double's precision come as bigints; such a number has lost digits or was not written as integer. */
function readInt64(value: Json): Json | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? value : undefined
}

const struct = { omitsZero: false }
const plain = { omitsZero: true }

export const scalarRules: Readonly<Record<ScalarType, ScalarRules>> = {
  string: { typeName: 'string', read: (value) => (typeof value === 'string' ? value : undefined), zero: '', ...plain },
  bool: { typeName: 'bool', read: (value) => (typeof value === 'boolean' ? value : undefined), zero: false, ...plain },
  int32: { typeName: 'int32', read: integer(int32Limit), zero: 0, ...plain },
  int64: { typeName: 'int64', read: readInt64, zero: 0, ...plain },
  double: {
    typeName: 'float64',
    read: (value) => {
      const number = typeof value === 'bigint' ? Number(value) : value
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined
    },
    zero: 0,
    ...plain,
  },
  bytes: { typeName: '[]uint8', read: (value) => (typeof value === 'string' ? canonicalBase64(value) : undefined), zero: null, ...plain },
  time: { typeName: 'v1.Time', read: text((value) => canonicalTime(value, 'time')), zero: null, ...struct },
  microTime: { typeName: 'v1.MicroTime', read: text((value) => canonicalTime(value, 'microTime')), zero: null, ...struct },
  duration: { typeName: 'v1.Duration', read: text((value) => formatDuration(parseDuration(value))), zero: '0s', ...struct },
  quantity: {
    typeName: 'resource.Quantity',
    read: (value) => canonicalQuantity(typeof value === 'string' ? value.trim() : printJson(value)),
    zero: '0',
    ...struct,
  },
  intOrString: {
    typeName: 'intstr.IntOrString',
    read: (value) => {
      if (typeof value === 'string') return value
      const read = integer(int32Limit)(value)
      if (read === undefined) throw foreign(value, 'int32')
      return read
    },
    zero: 0,
    ...struct,
  },
}

/** Includes the number in errors when its type is right but its value is not. */
export function describe(value: Json, typeName: string): string {
  const type = jsonType(value)
  return type === 'number' && /^(int|float)/.test(typeName) ? `number ${spelledText(value) ?? value}` : type
}
