/** One evaluation: what it may look at, what it has cost so far, and where its loops are. */
import { Cancelled, type CelError, Pending } from '../values/errors.ts'

/** When an evaluation is to be interrupted (core/slices.ts). */
export interface Interruptions {
  /** Whether it is time for others. */
  readonly over: boolean
  /** The evaluation is where it was when it was interrupted. */
  resumed(): void
  /** Resolves when it is time to go on. */
  next(): Promise<void>
}

export interface EvaluationLimits {
  /** Units of cost after which an evaluation ends. Default 1,000,000. */
  readonly costLimit?: number
  /** Absent: the evaluation holds the thread as long as it takes. */
  readonly slices?: Interruptions | undefined
}

/** Values by the names of variables: values of CEL, or decoded API objects where a variable's type says how to read them. */
export type Bindings = { readonly [variable: string]: unknown }

/** Where a loop was interrupted, or how it ended. */
export interface LoopState {
  readonly range: unknown
  /** The turn to go on with. */
  readonly at: number
  readonly accumulated: unknown
  /** Units that it has cost until then. */
  readonly cost: number
  /** It ended, with a value or an error. */
  readonly result?: { readonly value: unknown } | { readonly error: CelError }
}

/** Room that a program needs. */
export interface FrameSize {
  readonly locals: number
  readonly variables: number
}

const defaultLimit = 1_000_000
const turnsBetweenLooks = 16

export class Frame {
  readonly bindings: Bindings
  readonly locals: unknown[]
  /** Values of variables that were read already. */
  readonly variables: unknown[]
  cost = 0
  readonly #limit: number
  readonly #slices: Interruptions | undefined
  #turns = 0
  /** A turn has come to its end since the start, so that an interruption loses less than was done. */
  #progressed = false
  /** Loops that were interrupted or, since then, ended, by their numbers; undefined: nothing was interrupted. */
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

  /** Begins from the start again; loops go on where they were. */
  restart(): void {
    this.cost = 0
    this.#turns = 0
    this.#progressed = false
  }

  /** Counts a turn of a loop. Throws a Pending when it is time for others. */
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

  /** Notes where a loop was interrupted. */
  interrupted(number: number, state: LoopState): void {
    this.#loops ??= new Map()
    this.#loops.set(number, state)
  }

  /** Notes how a loop ended, where there may be interruptions before it is of no more use. */
  ended(number: number, state: LoopState): void {
    this.#loops?.set(number, state)
  }

  /** A turn of a loop has ended: loops inside of it, with numbers from the first up to the last, are forgotten. */
  turned(first: number, last: number): void {
    this.#progressed = true
    if (this.#loops) for (let number = first; number <= last; number++) this.#loops.delete(number)
  }
}
