/** Selection of fields, keys and indexes. */
import { Steps } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { formatValue } from '../values/format.ts'
import { adapt, getKey, isMap } from '../values/maps.ts'
import { CelDouble, CelUint, intOf, isInt } from '../values/numbers.ts'
import { typeOf } from '../values/typing.ts'
import { CelObject, CelOptional, none, plainKey } from '../values/values.ts'
import type { Frame } from './frame.ts'

/** List position of a value. Throws a CelError when the type is wrong. */
function positionOf(index: unknown): number | bigint {
  if (isInt(index)) return index
  if (index instanceof CelUint) return index.value
  if (index instanceof CelDouble) {
    return Number.isInteger(index.value) ? intOf(BigInt(index.value)) : fail(`unsupported index value ${formatValue(index)} in list`)
  }
  return fail(`unsupported index type '${typeOf(index).name}' in list`)
}

/** The value of a key or index; undefined: missing. */
function find(operand: unknown, key: unknown): unknown {
  if (Array.isArray(operand)) {
    const position = positionOf(key)
    return position >= 0 && position < operand.length ? adapt(operand[Number(position)]) : undefined
  }
  if (!isMap(operand)) return undefined
  if (plainKey(key) === undefined) fail(`unsupported key type: ${typeOf(key).name}`)
  return getKey(operand, key)
}

/** Selection in an optional value gives an optional result. */
function through(operand: CelOptional, key: unknown): CelOptional {
  if (!operand.hasValue) return none
  const value = find(operand.value, key)
  return value === undefined ? none : new CelOptional(value)
}

/**
 * Fast path for JSON maps, the most frequent operands; undefined: missing key or another operand.
 * `find` handles those cases.
 */
function plainField(operand: unknown, name: string): unknown {
  if (typeof operand !== 'object' || operand === null || Object.getPrototypeOf(operand) !== Object.prototype) return undefined
  return Object.hasOwn(operand, name) ? adapt((operand as { readonly [key: string]: unknown })[name]) : undefined
}

/** The value of a field; undefined: missing. Throws a Pending when reading it takes longer than the time slice. */
export function fieldOf(frame: Frame, object: CelObject, name: string): unknown {
  const value = object.begin(name)
  return value instanceof Steps ? frame.read(value) : value
}

/** Reads what will be selected, so that the selection finds it. Throws a Pending when that takes longer than the time slice. */
export function prepare(frame: Frame, operand: unknown, key: unknown): void {
  const inner = operand instanceof CelOptional ? operand.value : operand
  if (inner instanceof CelObject && typeof key === 'string') fieldOf(frame, inner, key)
}

/** `operand.name`. */
export function selectField(operand: unknown, name: string): unknown {
  return plainField(operand, name) ?? select(operand, name)
}

/** `operand.key` or `operand[key]`. */
export function select(operand: unknown, key: unknown): unknown {
  if (operand instanceof CelOptional) return through(operand, key)
  const value = find(operand, key)
  if (value !== undefined) return value
  return fail(Array.isArray(operand) ? `index out of bounds: ${formatValue(key)}` : `no such key: ${formatValue(key)}`)
}

/** `operand.?key` or `operand[?key]`. */
export function selectOptional(operand: unknown, key: unknown): CelOptional {
  if (operand instanceof CelOptional) return through(operand, key)
  const value = find(operand, key)
  return value === undefined ? none : new CelOptional(value)
}

/** `has(operand.field)`. */
export function has(operand: unknown, field: string): boolean {
  if (plainField(operand, field) !== undefined) return true
  const inner = operand instanceof CelOptional ? operand.value : operand
  return inner instanceof CelObject ? inner.has(field) : find(inner, field) !== undefined
}
