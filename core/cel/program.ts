/** Compiled expressions. */
import type { Checked } from './check/check.ts'
import { estimateCost, type SizeOf } from './cost/estimate.ts'
import type { Range } from './cost/range.ts'
import type { Run } from './run/code.ts'
import { Compiler, type CompilerSettings } from './run/compile.ts'
import { type Bindings, type EvaluationLimits, Frame } from './run/frame.ts'
import type { Expr } from './syntax/ast.ts'
import type { CelType } from './types.ts'
import { Cancelled, CelError } from './values/errors.ts'

export type { Bindings, EvaluationLimits }

/** `value` is a value of CEL (values/values.ts). `cost`: units that the evaluation took, also when it failed. */
export type Evaluation =
  | { readonly value: unknown; readonly cost: number; readonly error?: undefined }
  /** `cancelled`: the limit was reached. */
  | { readonly error: string; readonly cancelled: boolean; readonly cost: number; readonly value?: undefined }

/** An evaluation that goes on. */
export interface Running {
  /** Throws a Pending when an answer takes time, or when it is time for others: called again, loops go on where they were. */
  finish(): Evaluation
}

export interface Program {
  readonly expression: string
  readonly tree: Expr
  /** Of the result; dyn where only a value can tell. */
  readonly type: CelType
  /** The least and the most units that an evaluation costs. Default: sizes are what the types of variables declare. */
  estimateCost(sizeOf?: SizeOf): Range
  start(bindings: Bindings, limits?: EvaluationLimits): Running
  /** The same at once, where nothing takes time. */
  evaluate(bindings: Bindings, limits?: EvaluationLimits): Evaluation
}

const unlimited: EvaluationLimits = {}

function finish(run: Run, frame: Frame): Evaluation {
  try {
    const value = run(frame)
    return { value, cost: frame.cost }
  } catch (error) {
    if (error instanceof CelError) return { error: error.message, cancelled: false, cost: frame.cost }
    if (error instanceof Cancelled) return { error: error.message, cancelled: true, cost: frame.cost }
    throw error
  }
}

/** Throws a CelError when a constant part of the expression has no value. */
export function createProgram(expression: string, checked: Checked, declared: SizeOf, settings: CompilerSettings): Program {
  const compiler = new Compiler(checked, settings)
  const { run } = compiler.compile(checked.tree)
  const { size } = compiler
  return {
    expression,
    tree: checked.tree,
    type: checked.typeOf(checked.tree),
    estimateCost: (sizeOf = declared) => estimateCost(checked, sizeOf),
    start(bindings, limits = unlimited) {
      const frame = new Frame(bindings, limits, size)
      return {
        finish() {
          frame.restart()
          return finish(run, frame)
        },
      }
    },
    evaluate: (bindings, limits = unlimited) => finish(run, new Frame(bindings, limits, size)),
  }
}
