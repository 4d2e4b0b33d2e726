/** Validators of facets with the texts of the reference's OpenAPI validator (openapi validation/validate). */

import type { FieldErrors } from '../field-error.ts'
import { FieldPath } from '../field-path.ts'
import { patternTest } from '../formats/pattern.ts'
import { goFloat } from '../go/number.ts'
import { quote } from '../go/quote.ts'
import { characters } from '../go/wording.ts'
import { equal } from '../json/equal.ts'
import { printJson } from '../json/text.ts'
import type { Facets, Json } from '../model.ts'
import { openapiFormat } from './formats.ts'

type Validator<T> = (value: T, path: FieldPath, errors: FieldErrors) => void

/** Path in the validator's form. */
const named = (path: FieldPath) => (path === FieldPath.root ? '' : path.toString())

/** `spec.replicas in body must be of type integer` */
export function typeMessage(path: FieldPath, type: string): string {
  return `${named(path)} in body must be of type ${type}`
}

function refuse(errors: FieldErrors, path: FieldPath, value: Json, detail: string): void {
  errors.invalid(path, value, `${named(path)} in body ${detail}`)
}

/** Whether a double counts as an integer, with the reference's tolerance (go-openapi/swag/conv, `IsFloat64AJSONInteger`). */
export function isWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false
  const size = Math.abs(value)
  const whole = Math.floor(size + 0.5)
  return size === whole || Math.abs(size - whole) < 1e-9 * whole
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n
  if (isInteger(value)) return value % factor === 0
  return isWhole(factor < 1 ? (1 / factor) * value : value / factor)
}

/** Whether it is an integer in Go. Others that are whole had a fraction, an exponent or more than 64 bits. */
const isInteger = (value: number | bigint) => typeof value === 'bigint' || Number.isSafeInteger(value)

const int64Limit = 2 ** 63

/** A number of the schema as the reference compares it with a value: converted to an integer for integers, which fails at their lower limit. */
function comparable(facet: number, value: number | bigint): number {
  if (!isInteger(value)) return facet
  const whole = Math.trunc(facet)
  return whole >= -int64Limit && whole < int64Limit ? whole : -int64Limit
}

const shown = (facet: number, value: number | bigint) => (isInteger(value) ? BigInt(facet).toString() : goFloat(facet))

function multipleOfValidator(given: number | bigint): Validator<number | bigint> {
  const facet = Number(given)
  return (value, path, errors) => {
    // As in the reference, integers are compared with the integer part of the facet.
    const factor = comparable(facet, value)
    if (factor <= 0) errors.invalid(path, factor, `factor MultipleOf declared for ${named(path)} must be positive: ${shown(factor, value)}`)
    else if (!isMultiple(value, factor)) refuse(errors, path, value, `should be a multiple of ${shown(factor, value)}`)
  }
}

function limitValidator(given: number | bigint, exclusive: boolean, sign: 1 | -1): Validator<number | bigint> {
  const facet = Number(given)
  const word = sign === 1 ? 'less' : 'greater'
  return (value, path, errors) => {
    const limit = comparable(facet, value)
    const isEqual = value >= limit && value <= limit
    if (isEqual ? !exclusive : value < limit === (sign === 1)) return
    refuse(errors, path, value, `should be ${word} than ${exclusive ? '' : 'or equal to '}${shown(limit, value)}`)
  }
}

const float32Limit = 3.4028235677973366e38

/** Validator of the range of a type and format. As in the reference, the error has its path only in the text. */
function rangeValidator(types: readonly string[], format: string | undefined): Validator<number | bigint> | undefined {
  const type = types.length === 1 ? types[0] : undefined
  const bits = type === 'integer' ? (format === 'int32' ? 32 : 64) : undefined
  if (bits === undefined && !(type === 'number' && format === 'float')) return undefined
  // Digits are compared, which end with zeros beyond the precision of a double.
  const isOf = (size: number, digits: string) => /^-?[0-9]+$/.test(digits) && BigInt.asIntN(size, BigInt(digits)) === BigInt(digits)
  const fits = (value: number | bigint) => (bits === undefined ? Math.abs(Number(value)) < float32Limit : isOf(bits, String(value)))
  const called = format === undefined ? '(default format)' : `with format ${format}`
  return (value, path, errors) => {
    if (!fits(value)) errors.invalid(FieldPath.root, '', `Checked value must be of type ${type} ${called} in ${named(path)}`)
  }
}

/** Validator of numbers, if the facets need one. */
export function numberValidator(types: readonly string[], facets: Facets): Validator<number | bigint> | undefined {
  const { min, max, exclusiveMin = false, exclusiveMax = false, multipleOf, format } = facets
  const validators: Validator<number | bigint>[] = []
  const range = rangeValidator(types, format)
  if (range) validators.push(range)
  if (multipleOf !== undefined) validators.push(multipleOfValidator(multipleOf))
  if (min !== undefined) validators.push(limitValidator(min, exclusiveMin, -1))
  if (max !== undefined) validators.push(limitValidator(max, exclusiveMax, 1))
  if (validators.length === 0) return undefined
  return (value, path, errors) => {
    for (const each of validators) each(value, path, errors)
  }
}

/** Validator of strings: reports the first failure; then the format. */
export function textValidator({ maxLength, minLength, pattern, format }: Facets): Validator<string> | undefined {
  const known = format === undefined ? undefined : openapiFormat(format)
  if (maxLength === undefined && minLength === undefined && !pattern && known === undefined) return undefined
  let compiled: ReturnType<typeof patternTest> | undefined
  const length = (text: string, path: FieldPath, errors: FieldErrors): boolean => {
    if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) {
      errors.tooLong(path, maxLength)
    } else if (minLength !== undefined && characters(text) < minLength) {
      refuse(errors, path, text, `should be at least ${minLength} chars long`)
    } else return true
    return false
  }
  return (text, path, errors) => {
    if (length(text, path, errors) && pattern) {
      compiled ??= patternTest(pattern)
      const { test, problem } = compiled
      if (!test(text)) {
        refuse(errors, path, text, `should match '${problem === undefined ? pattern : `${pattern}, but pattern is invalid: ${problem}`}'`)
      }
    }
    if (known && !known(text)) errors.typeInvalid(path, text, `${typeMessage(path, format as string)}: ${quote(text)}`)
  }
}

const hasDuplicates = (items: readonly Json[]) => new Set(items.map((item) => printJson(item))).size < items.length

/** Validator of a list, excluding its items. */
export function listValidator({ minItems, maxItems, uniqueItems }: Facets): Validator<readonly Json[]> | undefined {
  if (minItems === undefined && maxItems === undefined && !uniqueItems) return undefined
  return (items, path, errors) => {
    if (minItems !== undefined && items.length < minItems) refuse(errors, path, items.length, `should have at least ${minItems} items`)
    if (maxItems !== undefined && items.length > maxItems) errors.tooMany(path, items.length, maxItems)
    if (uniqueItems && hasDuplicates(items)) refuse(errors, path, '', "shouldn't contain duplicates")
  }
}

/** Validator of the number of keys of an object. */
export function sizeValidator({ minProperties, maxProperties }: Facets): Validator<number> | undefined {
  if (minProperties === undefined && maxProperties === undefined) return undefined
  return (size, path, errors) => {
    if (minProperties !== undefined && size < minProperties) {
      refuse(errors, path, size, `should have at least ${minProperties} properties`)
    }
    if (maxProperties !== undefined && size > maxProperties) errors.tooMany(path, size, maxProperties)
  }
}

/** Validator of the enum. As in the reference, null never matches. */
export function enumValidator({ enum: allowed = [] }: Facets): Validator<Json> | undefined {
  if (allowed.length === 0) return undefined
  const scalars = new Set(allowed.filter((each) => typeof each !== 'object'))
  const others = allowed.filter((each) => typeof each === 'object' && each !== null)
  const shown = () => allowed.map((each) => (typeof each === 'string' ? each : printJson(each)))
  return (value, path, errors) => {
    if (typeof value === 'object' ? others.some((each) => equal(each, value)) : scalars.has(value)) return
    errors.notSupported(path, value ?? undefined, shown())
  }
}
