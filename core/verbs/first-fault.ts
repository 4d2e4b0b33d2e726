/** Which of several faults of a body is told: the first one of its text that ends decoding, or else the first one, as by Go's decoder. */
import { append } from '../common/lists.ts'
import { Base64Error, ConversionError, DecodeError, TypeMismatch } from '../schema/decode-error.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'

/** Levels in which it is looked for: each costs as much as decoding what is below it. */
const maxLevels = 16
/** Values of a body in which it is looked for: each may be decoded by itself. Of larger ones the first fault of the schema is told. */
const maxValues = 4_000

/** The error of decoding the value; undefined: none. */
function faultOf(decode: (value: JsonObject) => void, value: JsonObject): DecodeError | undefined {
  try {
    decode(value)
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return error
    throw error
  }
}

/** Members of an object or items of a list, each with what it would be without the others. */
function* alone(value: Json, sorted: boolean): Generator<readonly [part: Json, wrap: (part: Json) => Json]> {
  if (Array.isArray(value)) for (const item of value) yield [item, (part) => [part]]
  else if (isObject(value)) {
    const names = Object.keys(value)
    for (const name of sorted ? names.sort() : names) yield [value[name] as Json, (part) => ({ [name]: part })]
  }
}

/** Whether a value has more than so many values at any depth. */
function hasMoreThan(max: number, value: Json): boolean {
  const open: Json[] = [value]
  for (let count = 1; open.length > 0; ) {
    const next = open.pop() as Json
    if (typeof next !== 'object' || next === null) continue
    const parts = Object.values(next)
    count += parts.length
    if (count > max) return true
    append(open, parts)
  }
  return false
}

/** Whether Go's decoder ends with the error, which a type that decodes itself returns. Others are noted, and told when it has read all. */
const endsDecoding = (error: DecodeError) =>
  !(error instanceof Base64Error) && !(error instanceof ConversionError) && !(error instanceof TypeMismatch && !error.decodesItself)

/**
 * @param fault that of the whole object, which is told if no part has one of its own.
 * @param sorted members are read by name, as from YAML.
 */
export function firstFault(object: JsonObject, sorted: boolean, fault: DecodeError, decode: (value: JsonObject) => void): DecodeError {
  if (hasMoreThan(maxValues, object)) return fault
  const search = (value: Json, whole: (part: Json) => Json, found: DecodeError, level: number): DecodeError => {
    if (level === maxLevels) return found
    let first: DecodeError | undefined
    for (const [part, wrap] of alone(value, sorted)) {
      const own = (inner: Json) => whole(wrap(inner))
      const error = faultOf(decode, own(part) as JsonObject)
      if (error === undefined) continue
      const told = search(part, own, error, level + 1)
      if (endsDecoding(told)) return told
      first ??= told
    }
    return first ?? found
  }
  return search(object, (part) => part, fault, 0)
}
