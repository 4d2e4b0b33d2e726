/** Evaluates expressions on one request within a cost budget (apiserver, pkg/admission/plugin/cel). */
import type { Compiled } from '../../cel/environment.ts'
import type { Evaluation, Program, Running } from '../../cel/program.ts'
import type { EvaluationLimits } from '../../cel/run/frame.ts'
import type { CelType } from '../../cel/types.ts'
import { CelError, Pending } from '../../cel/values/errors.ts'
import { LazyObject } from '../../cel/values/values.ts'
import { OutOfBudget } from './faults.ts'
import type { RequestValues } from './values.ts'

/** Units of cost (apiserver/pkg/apis/cel/config.go). */
export const limits = {
  /** Per evaluation of one expression. */
  expression: 1_000_000,
  /** For all validations, or one mutation, per binding and parameter. */
  policy: 10_000_000,
  /** For all match conditions of a policy or webhook. */
  conditions: 2_500_000,
} as const

/** An expression and its program; if it does not compile, each evaluation fails. */
export interface Expression {
  readonly text: string
  readonly compiled: Compiled
}

/** Expressions that others refer to as `variables.<name>`. */
export interface Variables {
  readonly type: CelType
  readonly byName: ReadonlyMap<string, Expression>
}

export const noVariables: Variables = { type: { kind: 'object', name: 'kubernetes.variables', parameters: [] }, byName: new Map() }

export type Outcome = { readonly value: unknown; readonly error?: undefined } | { readonly error: string; readonly value?: undefined }

/** Input of expressions: the request, and values of one policy. Absent `params`: null. */
export interface ExpressionInput {
  readonly values: RequestValues
  readonly params?: unknown
}

/** Variables by name: those of the request are shared between policies, `variables` belongs to one sequence. */
class Bindings {
  readonly [variable: string]: unknown
  readonly #values: RequestValues
  readonly #variable: (name: string) => unknown
  readonly #type: CelType
  readonly params: unknown
  #variables: LazyObject | undefined

  constructor({ values, params = null }: ExpressionInput, type: CelType, variable: (name: string) => unknown) {
    this.#values = values
    this.params = params
    this.#type = type
    this.#variable = variable
  }
  get object(): unknown {
    return this.#values.object
  }
  get oldObject(): unknown {
    return this.#values.oldObject
  }
  get namespaceObject(): unknown {
    return this.#values.namespaceObject
  }
  get request(): unknown {
    return this.#values.request
  }
  get authorizer(): unknown {
    return this.#values.authorizer
  }
  get 'authorizer.requestResource'(): unknown {
    return this.#values.requestResource
  }
  /** Each variable is computed once, on first use. */
  get variables(): LazyObject {
    this.#variables ??= new LazyObject(this.#type, this.#variable)
    return this.#variables
  }
}

/** Expressions that are evaluated in order on the same values. */
export class Sequence {
  readonly #expressions: readonly (Expression | undefined)[]
  readonly #variables: Variables
  readonly #bindings: Bindings
  readonly #outcomes: (Outcome | undefined)[] = []
  readonly #limits: EvaluationLimits
  #left: number
  /** Remaining work units, as many as cost units. */
  #workLeft: number
  /** Cost of variables since the last expression. */
  #spent = 0
  /** Suspended evaluations, by program. */
  #interrupted: Map<Program, Running> | undefined

  /** @param budget cost units for all expressions */
  constructor(expressions: readonly (Expression | undefined)[], seen: ExpressionInput, variables: Variables, budget: number) {
    this.#expressions = expressions
    this.#variables = variables
    this.#left = budget
    this.#workLeft = budget
    this.#limits = { costLimit: limits.expression, slices: seen.values.slices }
    this.#bindings = new Bindings(seen, variables.type, (name) => this.#variable(name))
  }

  /** Remaining budget. */
  get left(): number {
    return this.#left
  }

  /** Results in order. Throws OutOfBudget; throws a Pending when it must wait for I/O or the next time slice: call it again afterwards to resume. */
  run(): readonly (Outcome | undefined)[] {
    const { slices } = this.#limits
    while (this.#outcomes.length < this.#expressions.length) {
      if (slices?.over) throw new Pending(slices.next())
      const expression = this.#expressions[this.#outcomes.length]
      this.#outcomes.push(expression && this.#evaluate(expression))
    }
    return this.#outcomes
  }

  #evaluate({ text, compiled }: Expression): Outcome {
    if (!('program' in compiled)) return { error: `compilation error: ${compiled.issues}` }
    const { value, error, cost } = this.#tried(compiled.program)
    this.#left -= this.#spent + cost
    this.#spent = 0
    if (this.#left < 0 || this.#workLeft < 0) throw new OutOfBudget()
    return error === undefined ? { value } : { error: `expression '${text}' resulted in error: ${error}` }
  }

  /** A long chain of variables may overflow the stack, which counts as an error of the expression. */
  #tried(program: Program): Evaluation {
    try {
      return this.#run(program)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return { error: 'operation cancelled: variables depend on each other too deeply', cancelled: true, cost: 0, work: 0 }
    }
  }

  #run(program: Program): Evaluation {
    const running = this.#interrupted?.get(program) ?? program.start(this.#bindings, this.#limits)
    try {
      const evaluation = running.finish()
      this.#workLeft -= evaluation.work
      return evaluation
    } catch (error) {
      if (error instanceof Pending) {
        this.#interrupted ??= new Map()
        this.#interrupted.set(program, running)
      }
      throw error
    }
  }

  #variable(name: string): unknown {
    const compiled = this.#variables.byName.get(name)?.compiled
    if (compiled === undefined) return undefined
    if (!('program' in compiled)) throw new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${compiled.issues}`)
    const { value, error, cost } = this.#run(compiled.program)
    this.#spent += cost
    // Otherwise an expression could use the budget of many, since it is counted after its variables.
    if (this.#spent > this.#left || this.#workLeft < 0) throw new OutOfBudget()
    if (error !== undefined) throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error}`)
    return value
  }
}
