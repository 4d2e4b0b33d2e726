/** Calls of compiled functions: evaluation of arguments, costs, and functions that take steps. */
import type { Overload } from '../functions.ts'
import { drained, type MaybeSteps, type Parts, Steps, within } from '../steps.ts'
import { CelError } from '../values/errors.ts'
import { lengthParts, weightOf } from '../values/maps.ts'
import type { Code, Run } from './code.ts'
import type { Frame } from './frame.ts'

export type Implementation = (...args: readonly unknown[]) => unknown
type Cost = NonNullable<Overload['cost']>

/** Returns errors as values: cel-go evaluates the second operand even if the first failed, and counts the call. */
export function outcome(run: Run, frame: Frame): unknown {
  try {
    return run(frame)
  } catch (error) {
    if (error instanceof CelError) return error
    throw error
  }
}

/** Counts a call of which an argument failed. */
function failed(frame: Frame, error: unknown, args: readonly unknown[], cost: Cost | undefined): never {
  if (error instanceof CelError) frame.spend(cost ? drained(cost(args, weightOf)) : 1)
  throw error
}

function* counted(frame: Frame, cost: Parts<number>, call: () => unknown): Parts<unknown> {
  frame.spend(yield* cost)
  return yield* within(call())
}

/** Minimum UTF-16 code units of a string that is measured in steps. */
const longText = 128 * 1024
const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > longText

function* measured(cost: Cost, args: readonly unknown[]): Parts<number> {
  const sizes: (number | undefined)[] = []
  for (const each of args) sizes.push(isLong(each) ? yield* lengthParts(each) : undefined)
  const units = yield* within(cost(args, (value) => sizes[args.indexOf(value)] ?? weightOf(value)))
  yield 0
  return units
}

/** Cost of a call, which depends on the number of characters of its strings. */
const costOf = (cost: Cost, args: readonly unknown[]): MaybeSteps<number> =>
  args.some(isLong) ? new Steps(measured(cost, args)) : cost(args, weightOf)

/** Continues a call that takes steps. `cost` and `work`: units used when it started. */
const inSteps = (frame: Frame, number: number, cost: number, work: number, parts: Parts<unknown>): unknown =>
  frame.run(number, { cost, work }, parts)

/** A call with one argument; creates an argument list only if the cost needs it. */
export function unaryCall(number: number, one: Run, cost: Cost | undefined, call: (a: unknown) => unknown): Code {
  return {
    run(frame) {
      if (frame.knows(number)) return frame.again(number)
      const { cost: costBefore, work: workBefore } = frame
      let a: unknown
      try {
        a = one(frame)
      } catch (error) {
        return failed(frame, error, [error], cost)
      }
      const units = cost ? costOf(cost, [a]) : 1
      if (units instanceof Steps)
        return inSteps(
          frame,
          number,
          costBefore,
          workBefore,
          counted(frame, units.parts, () => call(a)),
        )
      frame.spend(units)
      const result = call(a)
      return result instanceof Steps ? inSteps(frame, number, costBefore, workBefore, result.parts) : result
    },
  }
}

/** A call with two arguments. */
export function binaryCall(number: number, one: Run, two: Run, cost: Cost | undefined, call: (a: unknown, b: unknown) => unknown): Code {
  return {
    run(frame) {
      if (frame.knows(number)) return frame.again(number)
      const { cost: costBefore, work: workBefore } = frame
      let a: unknown
      let b: unknown
      try {
        a = one(frame)
        b = two(frame)
      } catch (error) {
        if (a === undefined && error instanceof CelError) b = outcome(two, frame)
        return failed(frame, error, [a ?? error, b ?? error], cost)
      }
      const units = cost ? costOf(cost, [a, b]) : 1
      if (units instanceof Steps)
        return inSteps(
          frame,
          number,
          costBefore,
          workBefore,
          counted(frame, units.parts, () => call(a, b)),
        )
      frame.spend(units)
      const result = call(a, b)
      return result instanceof Steps ? inSteps(frame, number, costBefore, workBefore, result.parts) : result
    },
  }
}

/** Other calls: a failed argument, unless it is the last, ends the call before it is counted. */
export function variadicCall(number: number, runs: readonly Run[], cost: Cost | undefined, call: Implementation): Code {
  return {
    run(frame) {
      if (frame.knows(number)) return frame.again(number)
      const { cost: costBefore, work: workBefore } = frame
      const args: unknown[] = []
      try {
        for (const run of runs) args.push(run(frame))
      } catch (error) {
        if (args.length < runs.length - 1) throw error
        return failed(frame, error, [...args, error], cost)
      }
      const units = cost ? costOf(cost, args) : 1
      if (units instanceof Steps)
        return inSteps(
          frame,
          number,
          costBefore,
          workBefore,
          counted(frame, units.parts, () => call(...args)),
        )
      frame.spend(units)
      const result = call(...args)
      return result instanceof Steps ? inSteps(frame, number, costBefore, workBefore, result.parts) : result
    },
  }
}
