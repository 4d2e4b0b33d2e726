/** Comprehension loops. */

import { unitsOf } from '../steps.ts'
import { accumulator, type Expr, type Fold } from '../syntax/ast.ts'
import { CelError, fail, Pending } from '../values/errors.ts'
import { adapt, getKey, isMap, keysOf } from '../values/maps.ts'
import { typeOf } from '../values/typing.ts'
import { CelMap } from '../values/values.ts'
import type { Code, Run } from './code.ts'
import type { Compiler } from './compile.ts'
import type { Frame, Range } from './frame.ts'

/** Creates the initial value of a growing accumulator, anew for every evaluation. */
function startOf(init: Expr): (() => unknown) | undefined {
  if (init.kind === 'list' && init.items.length === 0) return () => []
  if (init.kind === 'map' && init.entries.length === 0) return () => new CelMap()
  return undefined
}

/** `cel.bind`: a variable without iterations. */
function compileBind(compiler: Compiler, node: Fold): Code {
  const { run: init, trusted = false } = compiler.compile(node.init)
  return compiler.withLocals([{ name: node.accumulator, trusted }], ([local]) => {
    const slot = local?.slot ?? 0
    const { run: result, trusted: trustsResult = false } = compiler.compile(node.result)
    return {
      trusted: trustsResult,
      run(frame) {
        frame.locals[slot] = init(frame)
        return result(frame)
      },
    }
  })
}

/** Go type names, for an error text. */
const goNames: { readonly [kind: string]: string } = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  duration: 'types.Duration',
  int: 'types.Int',
  null: 'types.Null',
  string: 'types.String',
  timestamp: 'types.Timestamp',
  uint: 'types.Uint',
}

/** Time to list one key of a map. */
const nanosecondsPerKey = 200

/** The keys of a map are charged after they were listed, because only then their number is known. */
function rangeFrom(value: unknown, frame: Frame): Range {
  if (Array.isArray(value)) return { of: value, items: value }
  if (!isMap(value)) return fail(`got '${goNames[typeOf(value).kind] ?? typeOf(value).name}', expected iterable type`)
  const items = keysOf(value)
  if (items.length > minKeysForIndex) frame.toil(unitsOf(items.length * nanosecondsPerKey))
  return { of: value, items }
}
/** Fewer keys are listed without charging work. */
const minKeysForIndex = 100

/** Runs iterations from index `from` on, setting the variables; ends when `turn` says so. */
type Iterate = (range: Range, frame: Frame, from: number, turn: (index: number) => boolean) => void

function iterationOf(first: number, second: number | undefined): Iterate {
  return ({ of, items }, frame, from, turn) => {
    const map = isMap(of) ? of : undefined
    for (let index = from; index < items.length; index++) {
      const item = map ? items[index] : adapt(items[index])
      if (second === undefined) frame.locals[first] = item
      else {
        frame.locals[first] = map ? item : index
        frame.locals[second] = map ? getKey(map, item) : item
      }
      if (!turn(index)) return
    }
  }
}

/** A loop that records its state, so that it can be interrupted and resumed. */
export function compileFold(compiler: Compiler, node: Fold): Code {
  if (node.range.kind === 'list' && node.range.items.length === 0 && node.accumulator !== accumulator) return compileBind(compiler, node)
  const { run: rangeOf, trusted = false } = compiler.compile(node.range)
  const made = startOf(node.init)
  const { run: initial, constant } = compiler.compile(node.init)
  const growing = made !== undefined && node.accumulator === accumulator
  const empty = growing && constant ? made : undefined
  // Only the loop itself accesses its accumulator, whose type never changes.
  return compiler.withLocals([{ name: node.accumulator, growing, trusted: true }], ([kept]) => {
    const slot = kept?.slot ?? 0
    const names = node.variable2 === undefined ? [node.variable] : [node.variable, node.variable2]
    const [number, last, { iterate, condition, step }] = compiler.numbered(() =>
      compiler.withLocals(
        names.map((name) => ({ name, trusted })),
        (locals) => ({
          iterate: iterationOf(locals[0]?.slot ?? 0, locals[1]?.slot),
          condition: compiler.compile(node.condition),
          step: compiler.compile(node.step),
        }),
      ),
    )
    const { run: result, trusted: trustsResult } = compiler.compile(node.result)
    const advance = condition.constant ? always(step.run, slot) : whileHolds(condition.run, step.run, slot)
    return {
      trusted: trustsResult === true && step.trusted === true,
      run(frame) {
        if (frame.knows(number)) return frame.again(number)
        const start = { cost: frame.cost, work: frame.work }
        const before = frame.loop(number)
        const visited = before ? undefined : rangeOf(frame)
        if (before) {
          frame.spend(before.cost)
          frame.toil(before.work)
        }
        frame.locals[slot] = before ? before.accumulated : empty ? empty() : initial(frame)
        // The start of the current iteration: an interrupted iteration is repeated.
        let at = before?.at ?? 0
        let accumulated = frame.locals[slot]
        let { cost, work } = frame
        let value: unknown
        let range = before?.range
        try {
          range ??= rangeFrom(visited, frame)
          iterate(range, frame, at, (index) => {
            at = index
            accumulated = frame.locals[slot]
            cost = frame.cost
            work = frame.work
            const goesOn = advance(frame)
            frame.turned(number + 1, last)
            return goesOn
          })
          value = result(frame)
        } catch (error) {
          if (range && error instanceof Pending) {
            frame.interrupted(number, { range, at, accumulated, cost: cost - start.cost, work: work - start.work })
          }
          if (error instanceof CelError) frame.ended(number, start, { error })
          throw error
        }
        frame.ended(number, start, { value })
        return value
      },
    }
  })
}

type Advance = (frame: Frame) => boolean

/** Stores an error in the accumulator: a later iteration may override it. */
function always(step: Run, slot: number): Advance {
  return (frame) => {
    frame.turn()
    try {
      frame.locals[slot] = step(frame)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      frame.locals[slot] = error
    }
    return true
  }
}

function whileHolds(condition: Run, step: Run, slot: number): Advance {
  const advance = always(step, slot)
  return (frame) => condition(frame) === true && advance(frame)
}
