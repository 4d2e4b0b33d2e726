/** Validators of facets in the order of `Facets`, compiled once per schema. */

import { formats } from './formats/formats.ts'
import { patternTest } from './formats/pattern.ts'
import { type Validator, wording } from './go/wording.ts'
import { equal } from './json/equal.ts'
import { printJson } from './json/text.ts'
import type { Facets, Json, Schema } from './model.ts'

export type { Validator } from './go/wording.ts'

function enumValidator(allowed: readonly Json[]): Validator {
  const shown = allowed.map((each) => (typeof each === 'string' ? each : printJson(each))).sort()
  return (value, path, errors) => {
    if (!allowed.some((each) => equal(each, value))) errors.notSupported(path, value, shown)
  }
}

function formatValidator(name: string): Validator | undefined {
  const rule = Object.hasOwn(formats, name) ? formats[name as keyof typeof formats] : undefined
  return (
    rule &&
    ((value, path, errors) => {
      if (typeof value === 'string') for (const message of rule(value)) errors.invalid(path, value, message)
    })
  )
}

function numberValidators(facets: Facets): Validator[] {
  const { min, max, exclusiveMin = false, exclusiveMax = false, multipleOf } = facets
  const validators: Validator[] = []
  if (multipleOf !== undefined) validators.push(wording.multipleOf(multipleOf))
  if (min !== undefined && max !== undefined && !exclusiveMin && !exclusiveMax) {
    return [...validators, wording.between(min, max)]
  }
  if (max !== undefined) validators.push(wording.max(max, exclusiveMax))
  if (min !== undefined) validators.push(wording.min(min, exclusiveMin))
  return validators
}

function textValidators(facets: Facets): Validator[] {
  const { maxLength, minLength, pattern } = facets
  const validators: Validator[] = []
  if (maxLength !== undefined) validators.push(wording.maxLength(maxLength))
  if (minLength !== undefined) validators.push(wording.minLength(minLength))
  if (pattern !== undefined) {
    const { test, problem } = patternTest(pattern)
    validators.push(wording.pattern(problem === undefined ? pattern : `${pattern}, but pattern is invalid: ${problem}`, test))
  }
  return validators
}

function sizeValidators(facets: Facets): Validator[] {
  const { minItems, maxItems, uniqueItems, minProperties, maxProperties } = facets
  const validators: Validator[] = []
  if (minItems !== undefined) validators.push(wording.minItems(minItems))
  if (maxItems !== undefined) validators.push(wording.maxItems(maxItems))
  if (uniqueItems) validators.push(wording.uniqueItems)
  if (minProperties !== undefined) validators.push(wording.minProperties(minProperties))
  if (maxProperties !== undefined) validators.push(wording.maxProperties(maxProperties))
  return validators
}

/** All validators of one schema node, excluding its children. */
export function validatorsOf(schema: Schema): readonly Validator[] {
  const facets = schema.facets
  if (facets === undefined) return []
  const format = facets.format === undefined ? undefined : formatValidator(facets.format)
  return [
    ...textValidators(facets),
    ...(format ? [format] : []),
    ...numberValidators(facets),
    ...sizeValidators(facets),
    ...(facets.enum ? [enumValidator(facets.enum)] : []),
  ]
}
