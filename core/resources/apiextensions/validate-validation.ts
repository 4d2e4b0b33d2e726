/**
 * Evaluates the CEL rules of a custom resource's schema (reference: pkg/apiserver/schema/cel/validation.go): outer rules
 * first, with one budget per object; violations in unchanged parts become warnings.
 */
import type { Evaluation, Program } from '../../cel/program.ts'
import type { CelType } from '../../cel/types.ts'
import { CelOptional, read } from '../../cel/values/values.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { get } from '../../schema/json/members.ts'
import type { DoPart, Json, JsonObject, Schema } from '../../schema/model.ts'
import { Correlation, oldItems } from '../../schema/openapi/correlation.ts'
import { reaching } from '../../schema/reaches.ts'
import type { RuleMetrics } from '../../schema/rule-metrics.ts'
import { type CompiledRule, compileRules, typeOfNode } from './rules.ts'

/** Maximum cost units of one expression, and of all rules per object. */
const callLimit = 1_000_000
const objectLimit = 10_000_000
const maxMessage = 5 * 1024

/** A schema node with rules at or below it. */
interface Node {
  readonly schema: Schema
  readonly type: CelType
  readonly rules: readonly CompiledRule[]
  readonly members: ReadonlyMap<string, Node>
  readonly others?: Node
  readonly items?: Node
}

/** Whether a schema has rules anywhere. */
export const hasRules = reaching((schema) => (schema.facets?.rules?.length ?? 0) > 0)

/** Undefined: no rules, or not accessible in expressions. */
function nodeOf(schema: Schema, root: boolean): Node | undefined {
  const type = hasRules(schema) ? typeOfNode(schema, root) : undefined
  if (type === undefined) return undefined
  const below = (part: Schema | undefined) => part && nodeOf(part, part.facets?.embeddedResource === true)
  const members = new Map<string, Node>()
  for (const [name, field] of schema.type === 'message' ? schema.json : []) {
    const node = below(field.schema)
    if (node) members.set(name, node)
  }
  const others = below(schema.type === 'message' ? schema.additional : undefined)
  const items = below(schema.type === 'list' ? schema.items : undefined)
  return { schema, type, rules: compileRules(schema, type), members, ...(others && { others }), ...(items && { items }) }
}

/** Correlation with the stored value: of the part itself, and of the nearest enclosing part that has one. */
interface SchemaPath {
  readonly current?: Correlation | undefined
  readonly nearest?: Correlation | undefined
}

const typeMeta = new Set(['kind', 'apiVersion'])
const isUnchanged = ({ current, nearest }: SchemaPath) => (current ?? nearest)?.unchanged ?? false

function memberPlace(place: SchemaPath, name: string): SchemaPath {
  if (place.current === undefined) return place
  if (place.nearest === undefined && typeMeta.has(name)) return {}
  return { current: place.current.key(name), nearest: place.current }
}

function itemPlace(place: SchemaPath, index: number): SchemaPath {
  return place.current === undefined ? place : { current: place.current.index(index), nearest: place.current }
}

/** The budget is used up, or a rule was too expensive: evaluation ends. */
class Stop extends Error {}

const textOf = ({ rule, message }: CompiledRule['rule']) => (message || rule).trim()

/** Type shown in errors instead of the value. */
function shownType(schema: Schema): string {
  const names = {
    message: 'object',
    map: 'object',
    list: 'array',
    bool: 'boolean',
    int32: 'integer',
    int64: 'integer',
    double: 'number',
    any: '',
  }
  return schema.type === 'intOrString' ? '' : (names[schema.type as keyof typeof names] ?? 'string')
}

interface Bindings {
  readonly self: unknown
  readonly oldSelf?: unknown
}

class Run {
  readonly errors: FieldErrors
  /** Violations in unchanged parts. */
  readonly warnings: string[] = []
  readonly #part: DoPart | undefined
  #left = objectLimit
  #workLeft = objectLimit

  constructor(errors: FieldErrors, part: DoPart | undefined) {
    this.errors = errors
    this.#part = part
  }

  node(node: Node, path: FieldPath, value: Json, old: Json | undefined, place: SchemaPath): void {
    if (value === null) return
    if (node.rules.length > 0) this.#rules(node, path, value, old ?? undefined, place)
    if (Array.isArray(value)) this.#items(node, path, value, old, place)
    else if (typeof value === 'object') this.#members(node, path, value, old, place)
  }

  #items({ items, schema }: Node, path: FieldPath, value: readonly Json[], old: Json | undefined, place: SchemaPath): void {
    if (!items || schema.type !== 'list') return
    const oldItem = oldItems(schema, old)
    for (const [index, item] of value.entries()) this.node(items, path.index(index), item, oldItem(item), itemPlace(place, index))
  }

  #members({ members, others, schema }: Node, path: FieldPath, value: JsonObject, old: Json | undefined, place: SchemaPath): void {
    const before = typeof old === 'object' && old !== null && !Array.isArray(old) ? old : {}
    const known = schema.type === 'message' ? schema.json : undefined
    for (const name of Object.keys(value)) {
      const declared = known?.has(name) ?? false
      const node = declared ? members.get(name) : others
      if (!node) continue
      const at = declared ? path.child(name) : path.key(name)
      this.node(node, at, value[name] as Json, get(before, name), memberPlace(place, name))
    }
  }

  #rules({ rules, schema, type }: Node, path: FieldPath, value: Json, old: Json | undefined, place: SchemaPath): void {
    const shown = shownType(schema)
    if (this.#left <= 0)
      this.#stop(path, shown, 'validation failed due to running out of cost budget, no further validation rules will be run')
    const self = read(type, value)
    const oldSelf = old === undefined ? undefined : read(type, old)
    for (const compiled of rules) {
      const { rule, program, problem, usesOldSelf } = compiled
      if (problem !== undefined) this.errors.invalid(path, shown, `rule compile error: ${problem}`)
      const optional = rule.optionalOldSelf === true
      if (program === undefined || (usesOldSelf && oldSelf === undefined && !optional)) continue
      const bindings = { self, ...(optional ? { oldSelf: new CelOptional(oldSelf) } : oldSelf !== undefined && { oldSelf }) }
      if (this.#holds(compiled, program, bindings, path, shown)) continue
      this.#refuse(compiled, bindings, path, value, shown, !usesOldSelf && isUnchanged(place))
    }
  }

  /** Work beyond the limit uses up the budget, as cost does. */
  #evaluate(program: Program, bindings: { readonly [name: string]: unknown }): Evaluation {
    const part = this.#part
    const evaluation = part
      ? part((slices) => program.start(bindings, { costLimit: callLimit, slices }))
      : program.evaluate(bindings, { costLimit: callLimit })
    this.#workLeft -= evaluation.work
    return this.#workLeft < 0 ? { ...evaluation, cost: Number.POSITIVE_INFINITY } : evaluation
  }

  #stop(path: FieldPath, shown: string, detail: string): never {
    this.errors.invalid(path, shown, detail)
    throw new Stop()
  }

  /** Whether a rule is true; adds an error if its evaluation fails. */
  #holds(
    { rule }: CompiledRule,
    program: Program,
    bindings: { readonly [name: string]: unknown },
    path: FieldPath,
    shown: string,
  ): boolean {
    const { value, error, cost } = this.#evaluate(program, bindings)
    if (cost > this.#left) {
      this.#stop(path, shown, 'validation failed due to running out of cost budget, no further validation rules will be run')
    }
    this.#left -= cost
    if (error === undefined) return value === true
    if (error.startsWith('operation cancelled: actual cost limit exceeded')) {
      const detail = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${textOf(rule)}`
      this.#stop(path, shown, detail)
    }
    const mismatch = `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${textOf(rule)}`
    this.errors.invalid(path, shown, error.startsWith('no such overload') ? mismatch : `${error} evaluating rule: ${textOf(rule)}`)
    return true
  }

  #refuse(compiled: CompiledRule, bindings: Bindings, path: FieldPath, value: Json, shown: string, forgiven: boolean): void {
    const { rule, fieldPath, message } = compiled
    const at = fieldPath === undefined ? path : path.child(fieldPath)
    const errors = forgiven ? new FieldErrors() : this.errors
    const detail =
      (message && this.#message(message, rule, bindings, at, shown)) ?? (rule.message?.trim() || `failed rule: ${textOf(rule)}`)
    addRefusal(errors, rule.reason, at, typeof value === 'object' ? undefined : value, detail)
    if (forgiven) for (const { field, message: text } of errors.list) this.warnings.push(`${field}: ${text}`)
  }

  /** Result of a messageExpression; undefined when not usable. */
  #message(program: Program, rule: CompiledRule['rule'], bindings: Bindings, path: FieldPath, shown: string): string | undefined {
    const { value, error, cost } = this.#evaluate(program, { ...bindings })
    if (cost > this.#left) {
      this.#stop(
        path,
        shown,
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      )
    }
    if (error?.startsWith('operation cancelled: actual cost limit exceeded')) {
      const expression = JSON.stringify(rule.messageExpression)
      this.#stop(path, shown, `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${expression}`)
    }
    this.#left -= cost
    const text = typeof value === 'string' ? value.trim() : ''
    return text === '' || text.includes('\n') || text.length > maxMessage ? undefined : text
  }
}

function addRefusal(errors: FieldErrors, reason: string | undefined, path: FieldPath, value: Json | undefined, detail: string): void {
  if (reason === 'FieldValueForbidden') errors.forbidden(path, detail)
  else if (reason === 'FieldValueRequired') errors.required(path, detail)
  else if (reason === 'FieldValueDuplicate' && value === undefined) errors.duplicateUnshown(path)
  else if (reason === 'FieldValueDuplicate') errors.duplicate(path, value)
  else if (value === undefined) errors.invalidUnshown(path, detail)
  else errors.invalid(path, value, detail)
}

const roots = new WeakMap<Schema, Node | false>()

/** Compiled on first use. */
function rootOf(schema: Schema, { root, metrics }: RuleSettings): Node | undefined {
  let node = roots.get(schema)
  if (node === undefined) {
    const began = metrics?.monotonic() ?? 0
    node = nodeOf(schema, root) ?? false
    roots.set(schema, node)
    if (node) metrics?.compilations.observe([], (metrics.monotonic() - began) / 1000)
  }
  return node || undefined
}

export interface RuleSettings {
  /** The value is a whole object. */
  readonly root: boolean
  /** Receives violations in unchanged parts as warnings. Absent: they are errors. */
  readonly warn?: ((text: string) => void) | undefined
  /** Interrupts evaluation; absent: no interruptions. */
  readonly part?: DoPart | undefined
  readonly metrics?: RuleMetrics | undefined
}

/** Adds the errors of all rules on a value; `old` for updates. */
export function validateRules(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: FieldPath,
  errors: FieldErrors,
  settings: RuleSettings,
): void {
  const { warn, part, metrics } = settings
  const node = rootOf(schema, settings)
  if (node === undefined) return
  const began = metrics?.monotonic() ?? 0
  const place: SchemaPath = old === undefined || !warn ? {} : { current: new Correlation(schema, value, old) }
  const run = new Run(errors, part)
  try {
    run.node(node, path, value, old, place)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
  }
  metrics?.evaluations.observe([], (metrics.monotonic() - began) / 1000)
  // Last, because an interrupted run is repeated.
  for (const text of run.warnings) warn?.(text)
}
