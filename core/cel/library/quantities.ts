/** Quantities as values (library `quantity` of the API server). */

import { DecodeError } from '../../schema/decode-error.ts'
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantitySign,
  scaledQuantity,
  subtractQuantities,
} from '../../schema/formats/quantity.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { abstractType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { CelDouble, type Int, intOf, maxInt, minInt } from '../values/numbers.ts'
import { CelOpaque } from '../values/values.ts'
import { traversesFirst } from './costs.ts'

export const quantityType = abstractType('kubernetes.Quantity')

class CelQuantity extends CelOpaque {
  readonly celType = quantityType
  readonly value: Quantity
  constructor(value: Quantity) {
    super()
    this.value = value
  }
  override equals(other: unknown): boolean {
    return other instanceof CelQuantity && compare(this, other) === 0
  }
}

const wrap = (value: Quantity) => new CelQuantity(value)
const whole = (value: Int): Quantity => ({ mantissa: BigInt(value), exponent: 0, format: 'DecimalSI' })
const compare = (a: CelQuantity, b: CelQuantity) => compareQuantities(a.value, b.value)

function readQuantity(text: string): CelQuantity | string {
  try {
    return wrap(parseQuantity(text))
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

function quantity(text: string): CelQuantity {
  const found = readQuantity(text)
  return typeof found === 'string' ? fail(found) : found
}

/** The value as an int; undefined when it is not an integer. */
function integerOf({ value }: CelQuantity): Int | undefined {
  const rounded = scaledQuantity(value, 0)
  const exact = compareQuantities(whole(rounded), value) === 0
  return exact && rounded >= minInt && rounded <= maxInt ? intOf(rounded) : undefined
}

const rows: readonly Row[] = [
  ['string_to_quantity', 'quantity(string): Quantity', quantity, traversesFirst],
  ['is_quantity_string', 'isQuantity(string): bool', (text: string) => typeof readQuantity(text) !== 'string', traversesFirst],
  ['quantity_sign', 'sign(Quantity): int', ({ value }: CelQuantity) => quantitySign(value)],
  ['quantity_is_greater_than', 'Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0],
  ['quantity_is_less_than', 'Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0],
  ['quantity_compare_to', 'Quantity.compareTo(Quantity): int', compare],
  [
    'quantity_get_float',
    'Quantity.asApproximateFloat(): double',
    ({ value }: CelQuantity) => new CelDouble(Number(`${value.mantissa}e${value.exponent}`)),
  ],
  ['quantity_get_int', 'Quantity.asInteger(): int', (each: CelQuantity) => integerOf(each) ?? fail('cannot convert value to integer')],
  ['quantity_is_integer', 'Quantity.isInteger(): bool', (each: CelQuantity) => integerOf(each) !== undefined],
  ['quantity_add', 'Quantity.add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => wrap(addQuantities(a.value, b.value))],
  ['quantity_add_int', 'Quantity.add(int): Quantity', (a: CelQuantity, b: Int) => wrap(addQuantities(a.value, whole(b)))],
  ['quantity_sub', 'Quantity.sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => wrap(subtractQuantities(a.value, b.value))],
  ['quantity_sub_int', 'Quantity.sub(int): Quantity', (a: CelQuantity, b: Int) => wrap(subtractQuantities(a.value, whole(b)))],
]

export const quantityLibrary = (): readonly FunctionDeclaration[] => declare(rows, { Quantity: quantityType })
