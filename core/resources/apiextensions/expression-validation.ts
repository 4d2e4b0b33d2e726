/**
 * Validates CEL rules in a schema (x-kubernetes-validations): they must compile with the right types, within cost limits
 * (reference: pkg/apis/apiextensions/validation, cel_validation.go).
 */
import { type SizeOf, sizesIn } from '../../cel/cost/estimate.ts'
import { maxRequestBytes, minSizeOf } from '../../cel/schema-types.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Json, Message, Schema } from '../../schema/model.ts'
import type { InPart } from '../in-parts.ts'
import { type CompiledRule, compileRules, typeOfNode } from './rules.ts'
import { hasRules } from './validate-validation.ts'

/** Maximum estimated cost of one rule per object, and of all rules of a schema. */
const ruleLimit = 10_000_000
const schemaLimit = 100_000_000
/** Maximum rules per schema, because compiling takes time. The reference has no such limit; the largest known schemas have a few hundred. */
const maxRules = 2000

/** Context of a node. */
interface Around {
  /** Maximum occurrences of the node in an object; undefined: unlimited. */
  readonly cardinality: number | undefined
  /** The enclosing part of the schema whose values can't be correlated with old ones. */
  readonly uncorrelatable?: FieldPath
}

/** Factor by which a node multiplies the occurrences of its children. */
function factorOf(schema: Schema): number | undefined {
  if (schema.facets?.untyped) return 1
  if (schema.type === 'list') return schema.facets?.maxItems
  return schema.type === 'message' && schema.additional ? schema.facets?.maxProperties : 1
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${what} exceeds budget by factor of ${shown} (${advice})`
}

/** A rule in the reference's error format. */
const shownRule = ({ rule }: CompiledRule): Json => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
})

class RuleChecks {
  readonly #errors: FieldErrors
  readonly #limitsRules: boolean
  readonly #expensive: { readonly path: FieldPath; readonly cost: number }[] = []
  readonly #broken: ReadonlySet<string>
  readonly #inPart: InPart
  #total = 0
  #count = 0

  constructor(errors: FieldErrors, { limitsRules, broken, inPart }: ExpressionSettings) {
    this.#errors = errors
    this.#limitsRules = limitsRules
    this.#broken = broken
    this.#inPart = inPart
  }

  visit(schema: Schema, path: FieldPath, root: boolean, around: Around): void {
    if (!hasRules(schema)) return
    const factor = factorOf(schema)
    const below = around.cardinality === undefined || factor === undefined ? undefined : around.cardinality * Math.max(0, factor)
    const inside: Around = { ...around, cardinality: below }
    const part = (each: Schema, at: FieldPath, where = inside) => this.visit(each, at, each.facets?.embeddedResource === true, where)
    if (schema.type === 'message') {
      if (!schema.open) return
      if (schema.additional) part(schema.additional, path.child('additionalProperties'))
      for (const [name, field] of schema.json) part(field.schema, path.child('properties').key(name))
    }
    if (schema.type === 'list') {
      const loose = schema.listType !== 'map' && around.uncorrelatable === undefined ? { uncorrelatable: path } : {}
      part(schema.items, path.child('items'), { ...inside, ...loose })
    }
    this.#rules(schema, path, root, around)
  }

  #rules(schema: Schema, node: FieldPath, root: boolean, around: Around): void {
    const { rules = [] } = schema.facets ?? {}
    if (rules.length === 0 || (this.#broken.size > 0 && this.#broken.has(node.toString()))) return
    const path = node.child('x-kubernetes-validations')
    this.#count += rules.length
    if (this.#count > maxRules) {
      if (this.#count - rules.length <= maxRules) this.#errors.tooMany(path, this.#count, maxRules)
      return
    }
    const type = typeOfNode(schema, root)
    if (type === undefined) {
      const start = 'internal error: failed to construct type information for x-kubernetes-validations rules'
      this.#errors.internal(path, `${start}: unable to convert structural schema to CEL declarations`)
      return
    }
    const cardinality = around.cardinality ?? Math.floor(maxRequestBytes / (minSizeOf(schema) + 1))
    const sizes = sizesIn(type)
    for (const [index, compiled] of compileRules(schema, type, this.#inPart).entries())
      this.#rule(compiled, path.index(index), sizes, cardinality, around)
  }

  #rule(compiled: CompiledRule, path: FieldPath, sizes: SizeOf, cardinality: number, { uncorrelatable }: Around): void {
    const { rule, program, problem, message, messageProblem, usesOldSelf } = compiled
    const at = { rule: path.child('rule'), message: path.child('messageExpression') }
    if (program) this.#cost('estimated rule cost', at.rule, program.estimateCost(sizes).max * cardinality)
    if (problem !== undefined) this.#errors.invalid(at.rule, shownRule(compiled), problem)
    if (messageProblem !== undefined) this.#errors.invalid(at.message, shownRule(compiled), messageProblem)
    else if (message) this.#cost('estimated messageExpression cost', at.message, message.estimateCost(sizes).max)
    if (usesOldSelf && uncorrelatable) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
      this.#errors.invalid(at.rule, rule.rule, detail)
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      this.#errors.invalid(path.child('optionalOldSelf'), rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')
    }
  }

  #cost(what: string, path: FieldPath, cost: number): void {
    if (this.#limitsRules && cost > ruleLimit) this.#errors.forbidden(path, costText(what, cost, ruleLimit))
    this.#total += cost
    if (cost >= schemaLimit / 100) this.#expensive.push({ path, cost })
  }

  /** Adds an error when all rules together exceed the limit, naming the most expensive ones. */
  total(path: FieldPath): void {
    if (this.#total <= schemaLimit) return
    for (const { path: at } of this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, 4)) {
      this.#errors.forbidden(at, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema')
    }
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    this.#errors.forbidden(path, costText(what, this.#total, schemaLimit))
  }
}

export interface ExpressionSettings {
  /** Also limit the cost of each rule; not for unchanged schemas. */
  readonly limitsRules: boolean
  /** Paths of nodes with other errors, whose rules are not compiled. */
  readonly broken: ReadonlySet<string>
  readonly inPart: InPart
}

/** Adds the errors of all rules of a schema. */
export function validateExpressions(schema: Message, path: FieldPath, errors: FieldErrors, settings: ExpressionSettings): void {
  const checks = new RuleChecks(errors, settings)
  checks.visit(schema, path, true, { cardinality: 1 })
  checks.total(path)
}
