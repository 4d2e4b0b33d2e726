/** Run-time types of values. */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from '../types.ts'
import { CelDouble, CelUint } from './numbers.ts'
import { CelDuration, CelTimestamp } from './times.ts'
import { CelObject, CelOpaque, CelOptional, CelTypeValue } from './values.ts'

const anyList = listType(dynType)
const anyMap = mapType(dynType, dynType)
const anyOptional = optionalType(dynType)

/** The type of a value; element types of lists and maps are unknown. */
export function typeOf(value: unknown): CelType {
  switch (typeof value) {
    case 'string':
      return stringType
    case 'boolean':
      return boolType
    case 'number':
    case 'bigint':
      return intType
  }
  if (value === null || value === undefined) return nullType
  if (Array.isArray(value)) return anyList
  if (value instanceof CelDouble) return doubleType
  if (value instanceof CelUint) return uintType
  if (value instanceof CelObject || value instanceof CelOpaque) return value.celType
  if (value instanceof Uint8Array) return bytesType
  if (value instanceof CelTimestamp) return timestampType
  if (value instanceof CelDuration) return durationType
  if (value instanceof CelOptional) return anyOptional
  if (value instanceof CelTypeValue) return typeType
  return anyMap
}

/** Whether a value conforms to a declared type. */
export function matches(type: CelType, value: unknown): boolean {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true
  const actual = typeOf(value)
  return actual.kind === type.kind && (actual.kind === 'list' || actual.kind === 'map' || actual.name === type.name)
}
