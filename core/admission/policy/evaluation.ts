/** Evaluates the expressions of a policy for one request, within a budget (apiserver, pkg/admission/plugin/cel). */
import type { Compiled } from '../../cel/environment.ts'
import type { Evaluation } from '../../cel/program.ts'
import type { CelType } from '../../cel/types.ts'
import { CelError, Pending } from '../../cel/values/errors.ts'
import { LazyObject } from '../../cel/values/values.ts'
import { ConfigurationError } from './params.ts'

/** Units of cost (apiserver/pkg/apis/cel/config.go). */
export const limits = {
  /** Of one evaluation of one expression. */
  expression: 1_000_000,
  /** Of all validations, or of one mutation, for one binding and parameter. */
  policy: 10_000_000,
  /** Of all match conditions of a policy. */
  conditions: 2_500_000,
} as const

/** An expression as it is written; one that does not compile fails whenever it is evaluated. */
export interface Expression {
  readonly text: string
  readonly compiled: Compiled
}

/** Expressions that others use as `variables.<name>`. */
export interface Variables {
  readonly type: CelType
  readonly byName: ReadonlyMap<string, Expression>
}

/** What expressions see; `variables` is added. */
export interface Inputs {
  readonly [variable: string]: unknown
}

export type Outcome = { readonly value: unknown; readonly error?: undefined } | { readonly error: string; readonly value?: undefined }

/** All that was left to spend is spent: nothing further is evaluated. */
export class OutOfBudget extends ConfigurationError {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}

const perExpression = { costLimit: limits.expression }

/** Evaluates expressions over the same values; variables are computed once, when they are first asked for. */
export class Activation {
  readonly #bindings: Inputs
  readonly #variables: Variables
  #left: number
  /** Cost of variables since the last expression ended. */
  #spent = 0

  constructor(inputs: Inputs, variables: Variables, budget: number) {
    this.#variables = variables
    this.#left = budget
    const bindings: Record<string, unknown> = { ...inputs }
    if (variables.byName.size > 0) bindings['variables'] = new LazyObject(variables.type, (name) => this.#variable(name))
    this.#bindings = bindings
  }

  get left(): number {
    return this.#left
  }

  /** Throws OutOfBudget, or rejects with it; a promise where an answer of the authorizer takes time. */
  evaluate({ text, compiled }: Expression): Outcome | Promise<Outcome> {
    if (!('program' in compiled)) return { error: `compilation error: ${compiled.issues}` }
    const { program } = compiled
    try {
      return this.#settle(text, program.evaluate(this.#bindings, perExpression))
    } catch (error) {
      if (!(error instanceof Pending)) return this.#settle(text, tooDeep(error))
    }
    return program.evaluateLater(this.#bindings, perExpression).then(
      (evaluation) => this.#settle(text, evaluation),
      (error) => this.#settle(text, tooDeep(error)),
    )
  }

  #settle(text: string, { value, error, cost }: Evaluation): Outcome {
    this.#left -= this.#spent + cost
    this.#spent = 0
    if (this.#left < 0) throw new OutOfBudget()
    return error === undefined ? { value } : { error: `expression '${text}' resulted in error: ${error}` }
  }

  #variable(name: string): unknown {
    const compiled = this.#variables.byName.get(name)?.compiled
    if (compiled === undefined) return undefined
    if (!('program' in compiled)) throw new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${compiled.issues}`)
    const { value, error, cost } = compiled.program.evaluate(this.#bindings, perExpression)
    this.#spent += cost
    if (error !== undefined) throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error}`)
    return value
  }
}

/** Variables that use each other in a long chain may need more stack than there is, which is an error of the expression. */
function tooDeep(error: unknown): Evaluation {
  if (!(error instanceof RangeError)) throw error
  return { error: 'operation cancelled: variables depend on each other too deeply', cancelled: true, cost: 0 }
}
