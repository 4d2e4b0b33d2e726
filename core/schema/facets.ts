/** The checks that facets ask for, in the order of `Facets`, worked out once per schema. */
import { RE2JS } from 're2js'
import { equal } from './equal.ts'
import { formats } from './formats.ts'
import { messageOf } from './message-of.ts'
import type { Facets, Json, JsonObject, Schema } from './model.ts'
import { openapiFormat } from './openapi-formats.ts'
import { type Check, wording } from './wording.ts'

export type { Check } from './wording.ts'

export type Dialect = 'typed' | 'openapi'

/** The pattern as a test that takes linear time; false for every text when it can't be compiled. */
function patternTest(pattern: string): { test: (text: string) => boolean; problem?: string } {
  try {
    const compiled = RE2JS.compile(pattern)
    return { test: (text) => compiled.matcher(text).find() }
  } catch (error) {
    return { test: () => false, problem: messageOf(error) }
  }
}

function enumCheck(allowed: readonly Json[], dialect: Dialect): Check {
  const texts = allowed.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  const shown = dialect === 'openapi' ? texts : texts.sort()
  return (value, path, errors) => {
    if (!allowed.some((each) => equal(each, value))) errors.notSupported(path, value, shown)
  }
}

function formatCheck(name: string, dialect: Dialect): Check | undefined {
  if (dialect === 'openapi') {
    const known = openapiFormat(name)
    return known && wording.openapi.format(name, known)
  }
  const rule = Object.hasOwn(formats, name) ? formats[name as keyof typeof formats] : undefined
  return (
    rule &&
    ((value, path, errors) => {
      if (typeof value === 'string') for (const message of rule(value)) errors.invalid(path, value, message)
    })
  )
}

function numberChecks(facets: Facets, dialect: Dialect): Check[] {
  const { min, max, exclusiveMin = false, exclusiveMax = false, multipleOf } = facets
  const says = wording[dialect]
  const checks: Check[] = []
  if (multipleOf !== undefined) checks.push(says.multipleOf(multipleOf))
  if (dialect === 'typed' && min !== undefined && max !== undefined && !exclusiveMin && !exclusiveMax) {
    return [...checks, wording.typed.between(min, max)]
  }
  if (max !== undefined) checks.push(says.max(max, exclusiveMax))
  if (min !== undefined) checks.push(says.min(min, exclusiveMin))
  return checks
}

function textChecks(facets: Facets, dialect: Dialect): Check[] {
  const { maxLength, minLength, pattern } = facets
  const says = wording[dialect]
  const checks: Check[] = []
  if (maxLength !== undefined) checks.push(says.maxLength(maxLength))
  if (minLength !== undefined) checks.push(says.minLength(minLength))
  if (pattern !== undefined) {
    const { test, problem } = patternTest(pattern)
    checks.push(says.pattern(problem === undefined ? pattern : `${pattern}, but pattern is invalid: ${problem}`, test))
  }
  return checks
}

function sizeChecks(facets: Facets, dialect: Dialect): Check[] {
  const { minItems, maxItems, uniqueItems, minProperties, maxProperties } = facets
  const says = wording[dialect]
  const checks: Check[] = []
  if (minItems !== undefined) checks.push(says.minItems(minItems))
  if (maxItems !== undefined) checks.push(says.maxItems(maxItems))
  if (uniqueItems) checks.push(says.uniqueItems)
  if (minProperties !== undefined) checks.push(says.minProperties(minProperties))
  if (maxProperties !== undefined) checks.push(says.maxProperties(maxProperties))
  return checks
}

/** All checks of one schema node, without those of its parts. */
export function checksOf(schema: Schema, dialect: Dialect): readonly Check[] {
  const facets = schema.facets
  if (facets === undefined) return []
  const format = facets.format === undefined ? undefined : formatCheck(facets.format, dialect)
  return [
    ...textChecks(facets, dialect),
    ...(format ? [format] : []),
    ...numberChecks(facets, dialect),
    ...sizeChecks(facets, dialect),
    ...(facets.enum ? [enumCheck(facets.enum, dialect)] : []),
  ]
}

/** First repeated items of a list type `set`, and items of a list type `map` whose keys are repeated. */
export function duplicateCheck(schema: Schema & { type: 'list' }): Check | undefined {
  const { listType, keys = [] } = schema
  if (listType !== 'set' && listType !== 'map') return undefined
  const identity = (item: Json): Json =>
    listType === 'map' && typeof item === 'object' && item !== null && !Array.isArray(item)
      ? (Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]])) as JsonObject)
      : item
  return (value, path, errors) => {
    if (!Array.isArray(value) || value.length < 2) return
    const seen = new Map<string, number>()
    value.forEach((item, index) => {
      const known = identity(item)
      const text = JSON.stringify(known)
      const times = seen.get(text) ?? 0
      seen.set(text, times + 1)
      if (times === 1) errors.duplicate(path.index(index), known)
    })
  }
}
