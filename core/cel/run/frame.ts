/** State of one evaluation: variables, cost, and positions of loops. */
import { type MaybeSteps, type Parts, Steps } from '../steps.ts'
import { Cancelled, CelError, Pending } from '../values/errors.ts'

/** Interruptions of an evaluation (core/common/slices.ts). */
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
  /** Maximum work units (steps.ts) beyond what cost units stand for. Default: the cost limit. */
  readonly workLimit?: number
  /** Absent: no interruptions. */
  readonly slices?: Interruptions | undefined
}

/** Values by variable name: CEL values, or decoded API objects that are read by the variable's type. */
export type Bindings = { readonly [variable: string]: unknown }

/** Units used by a part of an evaluation. */
interface Used {
  readonly cost: number
  readonly work: number
}

/** Result of a completed part: value or error. */
export type Result = { readonly value: unknown } | { readonly error: CelError }

/** What a loop visits: the value, and the items of a list or keys of a map. */
export interface Range {
  readonly of: unknown
  readonly items: readonly unknown[]
}

/** State of an interrupted loop. */
export interface LoopState extends Used {
  readonly range: Range
  /** The iteration to resume at. */
  readonly at: number
  readonly accumulated: unknown
}

/** A call that is suspended between two of its steps. */
interface CallState extends Used {
  readonly parts: Parts<unknown>
}

interface Completed extends Used {
  readonly result: Result
}

type State = LoopState | CallState | Completed

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
  /** Work units of calls that are not covered by cost units. */
  work = 0
  /** Work units of reading variables and fields, each once. */
  #reading = 0
  /** Variables of which the rest must still be read, by slot. */
  #unread: Map<number, Steps<unknown>> | undefined
  readonly #limit: number
  readonly #workLimit: number
  readonly #slices: Interruptions | undefined
  #turns = 0
  /** A part has completed since the start: an interruption preserves progress. */
  #progressed = false
  /** Repeating the parts before an interruption. */
  #behind = false
  /** State of loops and calls by number; undefined: no interruption yet. */
  #states: Map<number, State> | undefined

  constructor(bindings: Bindings, { costLimit = defaultLimit, workLimit = costLimit, slices }: EvaluationLimits, size: FrameSize) {
    this.bindings = bindings
    this.#limit = costLimit
    this.#workLimit = workLimit
    this.#slices = slices
    this.locals = new Array(size.locals)
    this.variables = new Array(size.variables)
  }

  spend(units: number): void {
    this.cost += units
    if (this.cost > this.#limit) throw new Cancelled('operation cancelled: actual cost limit exceeded')
  }

  /** Charges work before it is done. The next iteration looks at the clock. */
  toil(units: number): void {
    this.work += units
    this.#turns = 0
    if (this.totalWork > this.#workLimit) throw new Cancelled('operation cancelled: actual cost limit exceeded')
  }

  get totalWork(): number {
    return this.work + this.#reading
  }

  /**
   * Reads a value to its end. Throws a Pending when the time slice is over; the steps then know where to go on. Unlike calls, what has been read is
   * not read again, so that its work is counted once.
   */
  read(steps: Steps<unknown>): unknown {
    for (let part = steps.parts.next(); ; part = steps.parts.next()) {
      if (part.done) return part.value
      this.#reading += part.value
      this.toil(0)
      if (this.#behind) this.#caughtUp()
      if (this.#slices?.over) throw new Pending(this.#slices.next())
    }
  }

  /** Reads a variable, or what is left of it. */
  variable(slot: number, begin: () => MaybeSteps<unknown>): unknown {
    const value = this.#unread?.get(slot) ?? begin()
    if (!(value instanceof Steps)) return value
    this.#unread ??= new Map()
    this.#unread.set(slot, value)
    const whole = this.read(value)
    this.#unread.delete(slot)
    return whole
  }

  /** Restarts the evaluation; interrupted loops and calls resume. */
  restart(): void {
    this.cost = 0
    this.work = 0
    this.#turns = 0
    this.#progressed = false
    this.#behind = this.#states !== undefined
  }

  /** Counts an iteration. Throws a Pending when the time slice is over. */
  turn(): void {
    const turns = this.#turns++
    if (this.#slices === undefined || turns % turnsBetweenLooks !== 0) return
    if (this.#behind) this.#caughtUp()
    else if (this.#progressed && this.#slices.over) throw new Pending(this.#slices.next())
  }

  #caughtUp(): void {
    this.#behind = false
    this.#slices?.resumed()
  }

  /** State of a loop that was interrupted, or undefined. */
  loop(number: number): LoopState | undefined {
    const state = this.#states?.get(number)
    return state && 'range' in state ? state : undefined
  }

  /** Whether a loop or call has completed, or a call is suspended: `again` goes on from there. */
  knows(number: number): boolean {
    const state = this.#states?.get(number)
    return state !== undefined && !('range' in state)
  }

  /** Counts a part again. Returns or throws its recorded result, or resumes its steps. */
  again(number: number): unknown {
    const state = this.#states?.get(number) as CallState | Completed
    const before = { cost: this.cost, work: this.work }
    this.spend(state.cost)
    this.toil(state.work)
    if ('parts' in state) {
      if (this.#behind) this.#caughtUp()
      return this.run(number, before, state.parts)
    }
    if ('error' in state.result) throw state.result.error
    return state.result.value
  }

  /** Records the state of an interrupted loop. */
  interrupted(number: number, state: LoopState): void {
    this.#record(number, state)
  }

  #record(number: number, state: State): void {
    this.#states ??= new Map()
    this.#states.set(number, state)
  }

  /** Records the result of a completed loop, if there was an interruption. `before`: units used when it started. */
  ended(number: number, before: Used, result: Result): void {
    this.#states?.set(number, { result, cost: this.cost - before.cost, work: this.work - before.work })
  }

  /**
   * Runs a call in steps, each of which is charged before it runs. Throws a Pending when the time slice is over. The result is recorded, so that
   * the call is not repeated after an interruption. `before`: units used when the call started, including its arguments.
   */
  run(number: number, before: Used, parts: Parts<unknown>): unknown {
    const slices = this.#slices
    try {
      for (let part = parts.next(); ; part = parts.next()) {
        if (part.done) {
          if (slices) this.#complete(number, before, { value: part.value })
          return part.value
        }
        this.toil(part.value)
        if (slices?.over) {
          this.#record(number, { parts, cost: this.cost - before.cost, work: this.work - before.work })
          throw new Pending(slices.next())
        }
      }
    } catch (error) {
      if (slices && error instanceof CelError) this.#complete(number, before, { error })
      throw error
    }
  }

  #complete(number: number, before: Used, result: Result): void {
    this.#progressed = true
    this.#record(number, { result, cost: this.cost - before.cost, work: this.work - before.work })
  }

  /** An iteration has completed: drops the state of inner parts with numbers from `first` up to `last`. */
  turned(first: number, last: number): void {
    this.#progressed = true
    const states = this.#states
    if (states === undefined || states.size === 0) return
    if (states.size <= last - first) {
      for (const number of states.keys()) if (number >= first && number <= last) states.delete(number)
    } else for (let number = first; number <= last; number++) states.delete(number)
  }
}
