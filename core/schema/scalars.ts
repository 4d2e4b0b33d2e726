/** JSON form and zero value of each scalar type. */

import { canonicalBase64, encodeBase64 } from './formats/base64.ts'
import { formatDuration, parseDuration } from './formats/duration.ts'
import { canonicalQuantity } from './formats/quantity.ts'
import { canonicalTime } from './formats/time.ts'
import { spelledText } from './go/spelled-number.ts'
import { printJson } from './json/text.ts'
import type { Json, ScalarType } from './model.ts'

export interface ScalarRules {
  /** Type name in errors. */
  readonly typeName: string
  /** For types that decode themselves: the type that they read the JSON value as. */
  readonly readAs?: string
  /**
   * The canonical value; undefined for a wrong JSON type, null for a value that means unset.
   * @throws DecodeError when a text is malformed.
   */
  readonly read: (value: Json) => Json | undefined
  /** What of a value for which `read` is undefined is wrong, with the type in errors; undefined: all of it. */
  readonly wrongPart?: (value: Json) => { readonly value: Json; readonly typeName: string } | undefined
  /** The value written for an unset field. */
  readonly zero: Json
  /** Whether `omitEmpty` omits the zero value; Go structs are written regardless. */
  readonly omitsZero: boolean
}

const int32Limit = 2 ** 31
/** JSON type name for errors. */
export function jsonType(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint' || spelledText(value) !== undefined) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function text(parse: (text: string) => Json): ScalarRules['read'] {
  return (value) => {
    return typeof value === 'string' ? parse(value) : undefined
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

const isByte = (value: Json) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255

function wrongByte(value: Json): ReturnType<NonNullable<ScalarRules['wrongPart']>> {
  const wrong = Array.isArray(value) ? value.find((item) => item !== null && !isByte(item)) : undefined
  return wrong === undefined ? undefined : { value: wrong, typeName: 'uint8' }
}

/** Base64, or as in Go a list of bytes, where null is 0. */
function readBytes(value: Json): Json | undefined {
  if (typeof value === 'string') return canonicalBase64(value)
  if (!Array.isArray(value)) return undefined
  if (wrongByte(value) !== undefined) return undefined
  return encodeBase64(Uint8Array.from(value as (number | null)[], (item) => item ?? 0))
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
  bytes: { typeName: '[]uint8', read: readBytes, wrongPart: wrongByte, zero: null, ...plain },
  time: { typeName: 'v1.Time', readAs: 'string', read: text((value) => canonicalTime(value, 'time')), zero: null, ...struct },
  microTime: {
    typeName: 'v1.MicroTime',
    readAs: 'string',
    read: text((value) => canonicalTime(value, 'microTime')),
    zero: null,
    ...struct,
  },
  duration: {
    typeName: 'v1.Duration',
    readAs: 'string',
    read: text((value) => formatDuration(parseDuration(value))),
    zero: '0s',
    ...struct,
  },
  quantity: {
    typeName: 'resource.Quantity',
    read: (value) => canonicalQuantity(typeof value === 'string' ? value.trim() : printJson(value)),
    zero: '0',
    ...struct,
  },
  intOrString: {
    typeName: 'intstr.IntOrString',
    readAs: 'int32',
    read: (value) => {
      return typeof value === 'string' ? value : integer(int32Limit)(value)
    },
    zero: 0,
    ...struct,
  },
}

/** Includes the number in errors when its type is right but its value is not. */
export function describe(value: Json, typeName: string): string {
  const type = jsonType(value)
  return type === 'number' && /^(u?int|float)/.test(typeName) ? `number ${spelledText(value) ?? value}` : type
}
