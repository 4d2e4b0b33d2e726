/**
 * Validates custom resources as the reference's OpenAPI validator does: same checks, same order,
 * same choice of the failed branch to report, same texts.
 */

import { FieldErrors } from '../field-error.ts'
import { FieldPath } from '../field-path.ts'
import type { Condition, Facets, Json } from '../model.ts'
import type { Correlation } from './correlation.ts'
import { enumValidator, listValidator, numberValidator, sizeValidator, textValidator } from './facets.ts'
import { type Shape, shapeOfCondition } from './shape.ts'
import { typeCheck } from './types.ts'

/** Maximum visited values per validation: branches visit the same value again, and schemas can be made to be slow. */
const maxSteps = 4_000_000

/** A validation exceeded its limit of visited values. */
class TooManySteps extends Error {}

class Run {
  errors: FieldErrors
  #steps = 0

  constructor(errors: FieldErrors) {
    this.errors = errors
  }

  step(): void {
    if (++this.#steps > maxSteps) throw new TooManySteps()
  }

  /** Runs an action with a separate list of errors. */
  apart<T>(action: () => T): { readonly result: T; readonly errors: FieldErrors } {
    const outer = this.errors
    const errors = new FieldErrors()
    this.errors = errors
    try {
      return { result: action(), errors }
    } finally {
      this.errors = outer
    }
  }
}

/** Adds errors, and returns the number of passed checks, which selects the errors to report when no branch matches. */
type Visit = (value: Json, path: FieldPath, run: Run, old: Correlation | undefined) => number

/** Visits a value with ratcheting: errors of unchanged parts are forgiven. */
function forgiving(visit: Visit): Visit {
  return (value, path, run, old) => {
    if (old === undefined) return visit(value, path, run, old)
    const { errors } = run
    const before = errors.mark()
    const passed = visit(value, path, run, old)
    if (errors.count > before.count && old.unchanged) errors.rewind(before)
    return passed
  }
}

interface Branch {
  readonly passed: number
  readonly errors: FieldErrors
}

const quoted = (path: FieldPath) => JSON.stringify(path === FieldPath.root ? '' : path.toString())

function addAll(run: Run, { errors, passed }: Branch): number {
  run.errors.include(errors)
  return passed
}

/** `anyOf` stops at the first matching branch; `oneOf` visits all. */
function choice(branches: readonly Visit[], exclusive: boolean): Visit {
  return (value, path, run, old) => {
    let fitting: Branch | undefined
    let fits = 0
    let best: Branch | undefined
    for (const visit of branches) {
      const { result: passed, errors } = run.apart(() => visit(value, path, run, old))
      const branch = { passed, errors }
      if (errors.count === 0) {
        fitting ??= branch
        fits++
        best = undefined
        if (!exclusive) break
      } else if (fits === 0 && (best === undefined || passed > best.passed)) best = branch
    }
    if (fits === 1) return (fitting as Branch).passed
    const found = fits === 0 ? 'Found none valid' : `Found ${fits} valid alternatives`
    const detail = exclusive ? `must validate one and only one schema (oneOf). ${found}` : 'must validate at least one schema (anyOf)'
    run.errors.invalid(FieldPath.root, '', `${quoted(path)} ${detail}`)
    return best ? addAll(run, best) : 0
  }
}

function all(branches: readonly Visit[]): Visit {
  return (value, path, run, old) => {
    let passed = 0
    let valid = 0
    for (const visit of branches) {
      const before = run.errors.count
      passed += visit(value, path, run, old)
      if (run.errors.count === before) valid++
    }
    if (valid < branches.length) {
      run.errors.invalid(
        FieldPath.root,
        '',
        `${quoted(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      )
    }
    return passed
  }
}

function none(branch: Visit): Visit {
  return (value, path, run, old) => {
    const { errors } = run.apart(() => branch(value, path, run, old))
    if (errors.count === 0) run.errors.invalid(FieldPath.root, '', `${quoted(path)} must not validate the schema (not)`)
    return 0
  }
}

/** Visits `anyOf`, `oneOf`, `allOf` and `not` conditions on a value. */
function choicesOf({ anyOf = [], oneOf = [], allOf = [], not }: Facets): Visit | undefined {
  const visits = (conditions: readonly Condition[]) => conditions.map((each) => visitOf(shapeOfCondition(each)))
  const parts: Visit[] = []
  if (anyOf.length > 0) parts.push(choice(visits(anyOf), false))
  if (oneOf.length > 0) parts.push(choice(visits(oneOf), true))
  if (allOf.length > 0) parts.push(all(visits(allOf)))
  if (not) parts.push(none(visitOf(shapeOfCondition(not))))
  if (parts.length === 0) return undefined
  return (value, path, run, old) => parts.reduce((passed, visit) => passed + visit(value, path, run, old), 0)
}

function itemsVisit(shape: Shape): Visit {
  const visit = forgiving(visitOf(shape))
  return (value, path, run, old) => {
    let passed = 0
    const items = value as Json[]
    for (let at = 0; at < items.length && !run.errors.closed; at++) passed += visit(items[at] as Json, path.index(at), run, old?.index(at))
    return passed
  }
}

/** Never forgiven: both sides are converted to one version, so changes would be invisible. */
const typeMeta = new Set(['kind', 'apiVersion'])

function membersVisit({ properties, additional, facets }: Shape): Visit | undefined {
  const { requiredKeys = [] } = facets
  const known = new Map<string, Visit>()
  const others = additional && forgiving(visitOf(additional))
  if (properties.size === 0 && others === undefined && requiredKeys.length === 0) return undefined
  const visitFor = (name: string) => {
    const shape = properties.get(name)
    if (shape === undefined) return others
    const visit = known.get(name) ?? forgiving(visitOf(shape()))
    known.set(name, visit)
    return visit
  }
  return (given, path, run, old) => {
    const value = given as { [key: string]: Json }
    let passed = 0
    for (const name of Object.keys(value)) {
      const visit = known.get(name) ?? visitFor(name)
      if (visit === undefined) continue
      if (run.errors.closed) return passed
      const before = path === FieldPath.root && typeMeta.has(name) ? undefined : old?.key(name)
      passed += visit(value[name] as Json, path.child(name), run, before)
    }
    for (const name of requiredKeys) if (!Object.hasOwn(value, name)) run.errors.required(path.child(name))
    return passed
  }
}

/** Checks that the reference counts for a value of this kind regardless of its schema. */
function counted(value: Json): number {
  if (typeof value === 'string') return 5
  if (typeof value === 'number' || typeof value === 'bigint' || Array.isArray(value)) return 6
  return typeof value === 'boolean' ? 4 : 5
}

/** All checks of a value; for null only type and enum. */
function visitOf(shape: Shape): Visit {
  const { types, facets } = shape
  const isType = typeCheck(shape)
  const choices = choicesOf(facets)
  const text = textValidator(facets)
  const number = numberValidator(types, facets)
  const items = shape.items && itemsVisit(shape.items)
  const list = listValidator(facets)
  const allowed = enumValidator(facets)
  const size = sizeValidator(facets)
  const members = membersVisit(shape)
  return (value, path, run, old) => {
    run.step()
    const { errors } = run
    const typed = isType === undefined || isType(value, path, errors)
    if (value === null) {
      allowed?.(value, path, errors)
      return typed ? 1 : 0
    }
    let passed = counted(value) + (isType ? (typed ? 2 : 1) : 0)
    if (choices) passed += choices(value, path, run, old)
    if (typeof value === 'string') text?.(value, path, errors)
    else if (typeof value === 'number' || typeof value === 'bigint') number?.(value, path, errors)
    else if (Array.isArray(value)) {
      if (items) passed += items(value, path, run, old)
      list?.(value, path, errors)
    }
    allowed?.(value, path, errors)
    if (typeof value === 'object' && !Array.isArray(value)) {
      size?.(Object.keys(value).length, path, errors)
      if (members) passed += members(value, path, run, old)
    }
    return passed
  }
}

/** Overlapping branches report the same error several times; keeps one. */
function withoutRepeats(errors: FieldErrors): void {
  const seen = new Set<string>()
  errors.drop(({ field, message }) => {
    const text = `${field} ${message}`
    if (seen.has(text)) return true
    seen.add(text)
    return false
  })
}

/** Adds the errors of a value, with paths relative to it. */
export type OpenApiValidator = (value: Json, errors: FieldErrors, old: Correlation | undefined) => void

/** A validator for a shape. Errors of parts that are unchanged from `old` are forgiven. */
export function openapiValidator(shape: Shape): OpenApiValidator {
  const visit = forgiving(visitOf(shape))
  return (value, errors, old) => {
    const found = new FieldErrors()
    const start = found.mark()
    try {
      visit(value, FieldPath.root, new Run(found), old)
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error
      found.rewind(start)
      found.invalidUnshown(
        FieldPath.root,
        'the schema asks for too many checks of an object of this size; simplify the schema or split the object',
      )
    }
    if (found.count === 0) return
    withoutRepeats(found)
    errors.include(found)
  }
}
