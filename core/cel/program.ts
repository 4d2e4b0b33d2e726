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

/** `value` is a CEL value (values/values.ts). `cost`, `work`: units (steps.ts), also after a failure. */
export type Evaluation =
  | { readonly value: unknown; readonly cost: number; readonly work: number; readonly error?: undefined }
  /** `cancelled`: a limit was exceeded. */
  | { readonly error: string; readonly cancelled: boolean; readonly cost: number; readonly work: number; readonly value?: undefined }

/** A resumable evaluation. */
export interface Running {
  /** Throws a Pending when it must wait for an answer or the next time slice: call it again afterwards; loops resume. */
  finish(): Evaluation
}

export interface Program {
  readonly expression: string
  readonly tree: Expr
  /** Static type of the result; dyn if only known at run time. */
  readonly type: CelType
  /** Minimum and maximum cost units. Default: sizes declared by the variables' types. */
  estimateCost(sizeOf?: SizeOf): Range
  start(bindings: Bindings, limits?: EvaluationLimits): Running
  /** Evaluates synchronously, when nothing is asynchronous. */
  evaluate(bindings: Bindings, limits?: EvaluationLimits): Evaluation
}

const unlimited: EvaluationLimits = {}

function finish(run: Run, frame: Frame): Evaluation {
  try {
    const value = run(frame)
    return { value, cost: frame.cost, work: frame.totalWork }
  } catch (error) {
    const cancelled = error instanceof Cancelled
    if (cancelled || error instanceof CelError) return { error: error.message, cancelled, cost: frame.cost, work: frame.totalWork }
    throw error
  }
}

/** Throws a CelError when a constant part of the expression fails. */
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
