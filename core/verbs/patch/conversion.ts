/** Results of strategic merge patches and applies: the reference converts them field by field, which fails in other words than decoding JSON. */
import { Base64Error, type DecodeError, TypeMismatch } from '../../schema/decode-error.ts'
import { memberOf } from '../../schema/go/spelled-number.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { set } from '../../schema/json/members.ts'
import type { Json, Schema } from '../../schema/model.ts'
import { describe } from '../../schema/scalars.ts'

/** Go's kind of a value of a patch. */
function goKind(value: Json): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'int64' : 'float64'
  return Array.isArray(value) ? 'slice' : 'map'
}

/** Go can convert these kinds to these types; the reference refuses where that would change the value. */
const convertible: { readonly [kind: string]: readonly string[] | undefined } = {
  int64: ['string', 'int32', 'int64', 'float64'],
  float64: ['int32', 'int64', 'float64'],
}

/** Text of the error when the result of a strategic merge patch or an apply is not an object of the kind. */
export function conversionFault(error: DecodeError): string {
  if (error instanceof Base64Error) return `error decoding from json: ${error.message}`
  if (!(error instanceof TypeMismatch)) return error.message
  const { typeName } = error
  if (error.decodesItself) return `json: cannot unmarshal ${describe(error.value, typeName)} into Go value of type ${typeName}`
  const given = goKind(error.value)
  const { kind } = error
  if (kind.startsWith('map[')) return `cannot restore map from ${given}`
  if (kind.startsWith('[]')) return `cannot restore slice from ${given}`
  if (/^v\d\w*\./.test(kind)) return `cannot restore struct from: ${given}`
  return convertible[given]?.includes(kind) ? `cannot convert ${given} to ${kind}` : `unrecognized type: ${kind}`
}

const minInt64 = -(2n ** 63n)

/** A number as Go's conversion to the type makes it, which wraps around: of a whole number beyond 64 bits to the least one, then to 32 bits. */
function goInteger(value: number | bigint, { type }: Schema): Json {
  if ((type !== 'int32' && type !== 'int64') || (typeof value === 'number' && !Number.isInteger(value))) return value
  const isHuge = typeof value === 'number' && Math.abs(value) >= 2 ** 63
  const whole = isHuge ? minInt64 : BigInt(value)
  if (type === 'int32') return Number(BigInt.asIntN(32, whole))
  return Number.isSafeInteger(value) ? value : (whole as unknown as Json)
}

/** A patch, or an object, with its integers as the reference converts them. Changes the patch. */
export function withGoIntegers(patch: Json, schema: Schema): Json {
  if (typeof patch === 'number' || typeof patch === 'bigint') return goInteger(patch, schema)
  if (Array.isArray(patch)) {
    if (schema.type === 'list') for (const [at, item] of patch.entries()) patch[at] = withGoIntegers(item, schema.items)
  } else if (isObject(patch))
    for (const key of Object.keys(patch)) {
      const member = memberOf(schema, key)
      if (member) set(patch, key, withGoIntegers(patch[key] as Json, member))
    }
  return patch
}
