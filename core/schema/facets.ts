/** Checks for facets in the order of `Facets`, compiled once per schema. */
import { equal } from './equal.ts'
import { formats } from './formats.ts'
import { printJson } from './json-text.ts'
import type { Facets, Json, Schema } from './model.ts'
import { patternTest } from './pattern.ts'
import { type Check, wording } from './wording.ts'

export type { Check } from './wording.ts'

function enumCheck(allowed: readonly Json[]): Check {
  const shown = allowed.map((each) => (typeof each === 'string' ? each : printJson(each))).sort()
  return (value, path, errors) => {
    if (!allowed.some((each) => equal(each, value))) errors.notSupported(path, value, shown)
  }
}

function formatCheck(name: string): Check | undefined {
  const rule = Object.hasOwn(formats, name) ? formats[name as keyof typeof formats] : undefined
  return (
    rule &&
    ((value, path, errors) => {
      if (typeof value === 'string') for (const message of rule(value)) errors.invalid(path, value, message)
    })
  )
}

function numberChecks(facets: Facets): Check[] {
  const { min, max, exclusiveMin = false, exclusiveMax = false, multipleOf } = facets
  const checks: Check[] = []
  if (multipleOf !== undefined) checks.push(wording.multipleOf(multipleOf))
  if (min !== undefined && max !== undefined && !exclusiveMin && !exclusiveMax) {
    return [...checks, wording.between(min, max)]
  }
  if (max !== undefined) checks.push(wording.max(max, exclusiveMax))
  if (min !== undefined) checks.push(wording.min(min, exclusiveMin))
  return checks
}

function textChecks(facets: Facets): Check[] {
  const { maxLength, minLength, pattern } = facets
  const checks: Check[] = []
  if (maxLength !== undefined) checks.push(wording.maxLength(maxLength))
  if (minLength !== undefined) checks.push(wording.minLength(minLength))
  if (pattern !== undefined) {
    const { test, problem } = patternTest(pattern)
    checks.push(wording.pattern(problem === undefined ? pattern : `${pattern}, but pattern is invalid: ${problem}`, test))
  }
  return checks
}

function sizeChecks(facets: Facets): Check[] {
  const { minItems, maxItems, uniqueItems, minProperties, maxProperties } = facets
  const checks: Check[] = []
  if (minItems !== undefined) checks.push(wording.minItems(minItems))
  if (maxItems !== undefined) checks.push(wording.maxItems(maxItems))
  if (uniqueItems) checks.push(wording.uniqueItems)
  if (minProperties !== undefined) checks.push(wording.minProperties(minProperties))
  if (maxProperties !== undefined) checks.push(wording.maxProperties(maxProperties))
  return checks
}

/** All checks of one schema node, excluding its children. */
export function checksOf(schema: Schema): readonly Check[] {
  const facets = schema.facets
  if (facets === undefined) return []
  const format = facets.format === undefined ? undefined : formatCheck(facets.format)
  return [
    ...textChecks(facets),
    ...(format ? [format] : []),
    ...numberChecks(facets),
    ...sizeChecks(facets),
    ...(facets.enum ? [enumCheck(facets.enum)] : []),
  ]
}
