/** Compiles rules of a custom resource's schema (x-kubernetes-validations; reference: pkg/apiserver/schema/cel/compilation.go). */

import { type CelEnvironment, createCelEnvironment } from '../../cel/environment.ts'
import type { Program } from '../../cel/program.ts'
import { celTypeOf } from '../../cel/schema-types.ts'
import type { Expr } from '../../cel/syntax/ast.ts'
import { boolType, type CelType, optionalType, stringType } from '../../cel/types.ts'
import { append } from '../../common/lists.ts'
import type { Rule, Schema } from '../../schema/model.ts'
import { atOnce, type InPart } from '../in-parts.ts'
import { fieldAt } from './field-at.ts'

export interface CompiledRule {
  readonly rule: Rule
  /** Undefined: the rule is empty or does not compile. */
  readonly program?: Program
  readonly problem?: string
  /** A transition rule, which refers to the stored value. */
  readonly usesOldSelf: boolean
  readonly message?: Program
  readonly messageProblem?: string
  /** Path in errors, relative to the value. */
  readonly fieldPath?: string
}

const selfName = 'self'
const oldSelfName = 'oldSelf'

/** Whether an expression refers to a variable. */
function reads(tree: Expr, name: string): boolean {
  const open: unknown[] = [tree]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if ((next as Partial<Expr>).kind === 'ident' && (next as { readonly name?: unknown }).name === name) return true
    append(
      open,
      Object.values(next).filter((value) => typeof value === 'object'),
    )
  }
  return false
}

type RulePart<P extends string, F extends string> = { readonly [program in P]?: Program } & { readonly [problem in F]?: string }

function compileRule(environment: CelEnvironment, { rule }: Rule): RulePart<'program', 'problem'> {
  if (rule.trim() === '') return {}
  const compiled = environment.compile(rule, { result: [boolType] })
  if (!('issues' in compiled)) return compiled
  return { problem: compiled.issues.startsWith('must evaluate') ? 'cel expression must evaluate to a bool' : compiled.issues }
}

function compileMessage(environment: CelEnvironment, { messageExpression }: Rule): RulePart<'message', 'messageProblem'> {
  if (!messageExpression) return {}
  const compiled = environment.compile(messageExpression, { result: [stringType] })
  if ('issues' in compiled) {
    const wrong = compiled.issues.startsWith('must evaluate')
    return { messageProblem: `messageExpression ${wrong ? 'must evaluate to a string' : compiled.issues}` }
  }
  return { message: compiled.program }
}

/** A rule's field path in error format. */
function pathOf(schema: Schema, { fieldPath }: Rule): string | undefined {
  if (!fieldPath) return undefined
  try {
    return fieldAt(schema, fieldPath).toString()
  } catch {
    return undefined
  }
}

/** Environments of a schema node; the one with an optional old value is rarely needed. */
function environmentsOf(type: CelType): (optional: boolean) => CelEnvironment {
  const made = new Map<boolean, CelEnvironment>()
  return (optional) => {
    const known = made.get(optional)
    if (known) return known
    const environment = createCelEnvironment({ variables: { [selfName]: type, [oldSelfName]: optional ? optionalType(type) : type } })
    made.set(optional, environment)
    return environment
  }
}

/** Compiles the rules of a schema node in order, each in a part. `type`: CEL type of its values. */
export function compileRules(schema: Schema, type: CelType, inPart: InPart = atOnce): readonly CompiledRule[] {
  const environment = environmentsOf(type)
  const compiled = (rule: Rule): CompiledRule => {
    const own = environment(rule.optionalOldSelf === true)
    const main = compileRule(own, rule)
    const { program } = main
    const fieldPath = pathOf(schema, rule)
    return {
      rule,
      ...main,
      usesOldSelf: program !== undefined && reads(program.tree, oldSelfName),
      ...(program && compileMessage(own, rule)),
      ...(fieldPath !== undefined && { fieldPath }),
    }
  }
  return (schema.facets?.rules ?? []).map((rule) => inPart(() => compiled(rule)))
}

/** The CEL type of a node's values; undefined: not accessible in expressions. */
export function typeOfNode(schema: Schema, root: boolean): CelType | undefined {
  return celTypeOf(schema, { name: 'selfType', root })
}
