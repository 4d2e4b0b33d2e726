/** State of one evaluation: variables, cost, and positions of loops. */
import { Cancelled, type CelError, Pending } from '../values/errors.ts'

/** Interruptions of an evaluation (core/slices.ts). */
export interface Interruptions {
  /** Whether the time slice is over. */
  readonly over: boolean
  /** The evaluation has caught up with where it was interrupted. */
  resumed(): void
  /** Resolves when the next time slice begins. */
  next(): Promise<void>
}

export interface EvaluationLimits {
  /** Maximum cost units. Default 1,000,000. */
  readonly costLimit?: number
  /** Absent: no interruptions. */
  readonly slices?: Interruptions | undefined
}

/** Values by variable name: CEL values, or decoded API objects that are read by the variable's type. */
export type Bindings = { readonly [variable: string]: unknown }

/** State of an interrupted or completed loop. */
export interface LoopState {
  readonly range: unknown
  /** The iteration to resume at. */
  readonly at: number
  readonly accumulated: unknown
  /** Cost units used by the loop. */
  readonly cost: number
  /** Set when the loop has completed: value or error. */
  readonly result?: { readonly value: unknown } | { readonly error: CelError }
}

/** Number of slots that a program needs. */
export interface FrameSize {
  readonly locals: number
  readonly variables: number
}

const defaultLimit = 1_000_000
const turnsBetweenLooks = 16

export class Frame {
  readonly bindings: Bindings
  readonly locals: unknown[]
  /** Values of variables, by slot. */
  readonly variables: unknown[]
  cost = 0
  readonly #limit: number
  readonly #slices: Interruptions | undefined
  #turns = 0
  /** An iteration has completed since the start: an interruption preserves progress. */
  #progressed = false
  /** State of loops by number; undefined: no interruption yet. */
  #loops: Map<number, LoopState> | undefined

  constructor(bindings: Bindings, { costLimit = defaultLimit, slices }: EvaluationLimits, size: FrameSize) {
    this.bindings = bindings
    this.#limit = costLimit
    this.#slices = slices
    this.locals = new Array(size.locals)
    this.variables = new Array(size.variables)
  }

  spend(units: number): void {
    this.cost += units
    if (this.cost > this.#limit) throw new Cancelled('operation cancelled: actual cost limit exceeded')
  }

  /** Restarts the evaluation; loops resume. */
  restart(): void {
    this.cost = 0
    this.#turns = 0
    this.#progressed = false
  }

  /** Counts an iteration. Throws a Pending when the time slice is over. */
  turn(): void {
    const turns = this.#turns++
    if (this.#slices === undefined || turns % turnsBetweenLooks !== 0) return
    if (turns === 0) {
      if (this.#loops) this.#slices.resumed()
    } else if (this.#progressed && this.#slices.over) throw new Pending(this.#slices.next())
  }

  loop(number: number): LoopState | undefined {
    return this.#loops?.get(number)
  }

  /** Records the state of an interrupted loop. */
  interrupted(number: number, state: LoopState): void {
    this.#loops ??= new Map()
    this.#loops.set(number, state)
  }

  /** Records the result of a completed loop, if there was an interruption. */
  ended(number: number, state: LoopState): void {
    this.#loops?.set(number, state)
  }

  /** An iteration has completed: drops the state of inner loops with numbers from `first` up to `last`. */
  turned(first: number, last: number): void {
    this.#progressed = true
    if (this.#loops) for (let number = first; number <= last; number++) this.#loops.delete(number)
  }
}
