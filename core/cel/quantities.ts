import type { Environment } from 'cel-js'
import { DecodeError } from '../schema/decode-error.ts'
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantitySign,
  scaledQuantity,
  subtractQuantities,
} from '../schema/quantity.ts'

class CelQuantity {
  readonly value: Quantity
  constructor(value: Quantity) {
    this.value = value
  }
}

const wrap = (value: Quantity) => new CelQuantity(value)
const whole = (value: bigint): Quantity => ({ mantissa: value, exponent: 0, format: 'DecimalSI' })
const limits = [-(2n ** 63n), 2n ** 63n - 1n] as const

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** The value as an int; undefined when it is none. */
function integerOf({ value }: CelQuantity): bigint | undefined {
  const rounded = scaledQuantity(value, 0)
  const exact = compareQuantities(whole(rounded), value) === 0
  return exact && rounded >= limits[0] && rounded <= limits[1] ? rounded : undefined
}

function asInteger(quantity: CelQuantity): bigint {
  const value = integerOf(quantity)
  if (value === undefined) throw new Error('cannot convert value to integer')
  return value
}

const compare = (a: CelQuantity, b: CelQuantity) => BigInt(compareQuantities(a.value, b.value))
const asFloat = ({ value }: CelQuantity) => Number(`${value.mantissa}e${value.exponent}`)

/** Quantities as values (this API's library). */
export function registerQuantities(environment: Environment): void {
  environment
    .registerType('Quantity', CelQuantity)
    .registerFunction('quantity(string): Quantity', (text: string) => wrap(parseQuantity(text)))
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerFunction('Quantity.sign(): int', ({ value }: CelQuantity) => BigInt(quantitySign(value)))
    .registerFunction('Quantity.isInteger(): bool', (quantity: CelQuantity) => integerOf(quantity) !== undefined)
    .registerFunction('Quantity.asInteger(): int', asInteger)
    .registerFunction('Quantity.asApproximateFloat(): double', asFloat)
    .registerFunction('Quantity.compareTo(Quantity): int', compare)
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0n)
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0n)
    .registerFunction('Quantity.add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => wrap(addQuantities(a.value, b.value)))
    .registerFunction('Quantity.add(int): Quantity', (a: CelQuantity, b: bigint) => wrap(addQuantities(a.value, whole(b))))
    .registerFunction('Quantity.sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => wrap(subtractQuantities(a.value, b.value)))
    .registerFunction('Quantity.sub(int): Quantity', (a: CelQuantity, b: bigint) => wrap(subtractQuantities(a.value, whole(b))))
    .registerOperator('Quantity == Quantity', (a: CelQuantity, b: CelQuantity) => compare(a, b) === 0n)
}
