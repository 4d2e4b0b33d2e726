/** One evaluation: what it may look at, and what it has cost so far. */
import { Cancelled } from '../values/errors.ts'

export interface EvaluationLimits {
  /** Units of cost after which an evaluation ends. Default 1,000,000. */
  readonly costLimit?: number
  /** Asked every 100 turns of loops; true ends the evaluation. */
  interrupted?(): boolean
}

/** Values by the names of variables: values of CEL, or decoded API objects where a variable's type says how to read them. */
export type Bindings = { readonly [variable: string]: unknown }

const defaultLimit = 1_000_000
const turnsBetweenChecks = 100

export class Frame {
  readonly bindings: Bindings
  readonly locals: unknown[] = []
  /** Values of variables that were read already. */
  readonly variables: unknown[] = []
  cost = 0
  readonly #limit: number
  readonly #interrupted: (() => boolean) | undefined
  #turns = 0

  constructor(bindings: Bindings, { costLimit = defaultLimit, interrupted }: EvaluationLimits) {
    this.bindings = bindings
    this.#limit = costLimit
    this.#interrupted = interrupted
  }

  spend(units: number): void {
    this.cost += units
    if (this.cost > this.#limit) throw new Cancelled('operation cancelled: actual cost limit exceeded')
  }

  /** Counts a turn of a loop. */
  turn(): void {
    if (++this.#turns % turnsBetweenChecks === 0 && this.#interrupted?.()) throw new Cancelled('operation interrupted')
  }
}
