/**
 * CEL numbers. An `int` is a number if it is a safe integer and a bigint otherwise, so that most arithmetic is fast;
 * `uint` and `double` are wrapped to distinguish them from ints.
 */
import { fail } from './errors.ts'

/** A number (always a safe integer) or a bigint (never one). */
export type Int = number | bigint

export class CelUint {
  readonly value: Int
  constructor(value: Int) {
    this.value = value
  }
}

export class CelDouble {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

export const minInt = -(2n ** 63n)
export const maxInt = 2n ** 63n - 1n
export const maxUint = 2n ** 64n - 1n

/** Normalizes a bigint to an Int. */
export function intOf(value: bigint): Int {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}

function checkedInt(value: bigint): Int {
  if (value < minInt || value > maxInt) fail('integer overflow')
  return intOf(value)
}

function checkedUint(value: bigint): CelUint {
  if (value < 0n || value > maxUint) fail('unsigned integer overflow')
  return new CelUint(intOf(value))
}

export const isInt = (value: unknown): value is Int => typeof value === 'number' || typeof value === 'bigint'

type Operator = '+' | '-' | '*' | '/' | '%'

const exact: { readonly [operator in Operator]: (a: bigint, b: bigint) => bigint } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
}

const fast: { readonly [operator in Operator]: (a: number, b: number) => number } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
}

/** Throws a CelError on division by zero. */
function divisor(operator: Operator, b: Int): void {
  if (b === 0 && operator === '/') fail('division by zero')
  if (b === 0 && operator === '%') fail('modulus by zero')
}

/** An operation on ints. Throws a CelError when the result exceeds 64 bits. */
export function intOperator(operator: Operator): (a: Int, b: Int) => Int {
  const [quick, slow] = [fast[operator], exact[operator]]
  return (a, b) => {
    divisor(operator, b)
    if (typeof a === 'number' && typeof b === 'number') {
      const result = quick(a, b)
      if (Number.isSafeInteger(result)) return result === 0 ? 0 : result
    }
    if (operator === '%' && b === -1) checkedInt(-BigInt(a))
    return checkedInt(slow(BigInt(a), BigInt(b)))
  }
}

export function uintOperator(operator: Operator): (a: CelUint, b: CelUint) => CelUint {
  const operate = exact[operator]
  return (a, b) => {
    divisor(operator, b.value)
    return checkedUint(operate(BigInt(a.value), BigInt(b.value)))
  }
}

export function doubleOperator(operate: (a: number, b: number) => number): (a: CelDouble, b: CelDouble) => CelDouble {
  return (a, b) => new CelDouble(operate(a.value, b.value))
}

export const negateInt = (value: Int): Int => checkedInt(-BigInt(value))

/** Converts a double to int, rounding towards zero. */
export function intFromDouble({ value }: CelDouble): Int {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) fail('integer overflow')
  return intOf(BigInt(Math.trunc(value)))
}

export function uintFromDouble({ value }: CelDouble): CelUint {
  if (!(value >= 0 && value < 2 ** 64)) fail('unsigned integer overflow')
  return new CelUint(intOf(BigInt(Math.trunc(value))))
}

export const uintFromInt = (value: Int): CelUint => checkedUint(BigInt(value))
export const intFromUint = ({ value }: CelUint): Int => checkedInt(BigInt(value))

/** A number that JavaScript compares exactly, whatever its type; undefined for other values. */
export function plainNumber(value: unknown): Int | undefined {
  if (isInt(value)) return value
  if (value instanceof CelUint || value instanceof CelDouble) return value.value
  return undefined
}

/** As Go's `%g`, with the shortest digits that read back as the same value. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  if (value === 0) return '0'
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 21) return plainDigits(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** Digits without exponent, which JavaScript uses below 1e-6. */
function plainDigits(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  const [digits = '', exponent = '0'] = text.split('e')
  const sign = digits.startsWith('-') ? '-' : ''
  return `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits.replace(/[-.]/g, '')}`
}
