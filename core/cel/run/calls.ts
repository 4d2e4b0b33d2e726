/** Compilation of operators and functions. */

import { patternProblem } from '../../schema/pattern.ts'
import type { FunctionDeclaration, Overload, Weigh } from '../functions.ts'
import { after, drained, type MaybeSteps, type Parts, Steps, within } from '../steps.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { type CelType, sameType } from '../types.ts'
import { contains, equal, ValueSet } from '../values/compare.ts'
import { CelError, fail } from '../values/errors.ts'
import { adapt, getKey, isMap, lengthParts, smallerWeight, weightOf } from '../values/maps.ts'
import { matches, typeOf } from '../values/typing.ts'
import { CelOpaque, CelOptional, none } from '../values/values.ts'
import { areTrusted, type Code, constant, isAttribute, type Run } from './code.ts'
import type { Compiler } from './compile.ts'
import { prepare, select, selectOptional } from './fields.ts'
import type { Frame } from './frame.ts'

type CompileCall = (compiler: Compiler, node: Call, nested: boolean) => Code

function noOverload(): never {
  return fail('no such overload')
}

/** `&&` and `||`: a deciding operand takes precedence over an error of the other. */
function logical(decides: boolean): CompileCall {
  return (compiler, { args }) => {
    const [left, right] = args.map((each) => compiler.compile(each).run) as [Run, Run]
    return {
      trusted: true,
      run(frame) {
        let failure: CelError | undefined
        try {
          const value = left(frame)
          if (value === decides) return decides
          if (value !== !decides) failure = new CelError('no such overload')
        } catch (error) {
          if (!(error instanceof CelError)) throw error
          failure = error
        }
        const value = failure ? outcome(right, frame) : right(frame)
        if (value === decides) return decides
        if (failure) throw failure
        return value === !decides ? value : noOverload()
      },
    }
  }
}

const conditional: CompileCall = (compiler, { args }) => {
  const [condition, yes, no] = args as readonly [Expr, Expr, Expr]
  const test = compiler.compile(condition).run
  const branches = [yes, no].map((each) => compiler.compile(each, isAttribute(each)))
  const [whenTrue, whenFalse] = branches.map(({ run }) => run) as [Run, Run]
  return {
    trusted: areTrusted(branches),
    run(frame) {
      const value = test(frame)
      if (value === true) return whenTrue(frame)
      return value === false ? whenFalse(frame) : noOverload()
    },
  }
}

/** Cost of comparing two values: a traversal of the smaller one. */
function comparisonCost(a: unknown, b: unknown, weigh: Weigh): number {
  if (typeof a === 'boolean' || typeof a === 'number') return weigh(b) === 0 ? 0 : 1
  return a instanceof CelOpaque ? 1 : Math.ceil(smallerWeight(a, b, weigh) * 0.1)
}

function equality(wanted: boolean): CompileCall {
  const cost = ([a, b]: readonly unknown[], weigh: Weigh) => comparisonCost(a, b, weigh)
  const run = (a: unknown, b: unknown) => {
    const same = equal(a, b)
    return typeof same === 'boolean' ? same === wanted : after(same, (found) => found === wanted)
  }
  return (compiler, { args }) => {
    const number = compiler.numberOfCall()
    const [left, right] = args.map((each) => compiler.compile(each).run) as [Run, Run]
    return { ...binaryCall(number, left, right, cost, run), trusted: true }
  }
}

function indexing(get: (operand: unknown, key: unknown) => unknown): CompileCall {
  return (compiler, { args: [operand, key] }, nested) => {
    const { run: of, trusted = false } = compiler.operand(operand as Expr, nested)
    const at = compiler.compile(key as Expr, isAttribute(key as Expr)).run
    return {
      trusted,
      run(frame) {
        const value = of(frame)
        frame.spend(1)
        const index = at(frame)
        prepare(frame, value, index)
        const found = get(value, index)
        if (found === none && (value instanceof CelOptional || get === selectOptional)) frame.spend(-1)
        return found
      },
    }
  }
}

const optionalSelect: CompileCall = (compiler, { args: [operand, name] }, nested) => {
  const { run: of, trusted = false } = compiler.operand(operand as Expr, nested)
  const key = compiler.nameOfKey(name?.kind === 'literal' ? String(name.value) : '')
  return {
    trusted,
    run(frame) {
      const value = of(frame)
      prepare(frame, value, key)
      const found = selectOptional(value, key)
      if (found.hasValue) frame.spend(1)
      return found
    },
  }
}

/** Errors count as true, so that loops continue. */
const notStrictlyFalse: CompileCall = (compiler, { args: [arg] }) => {
  const { run } = compiler.compile(arg as Expr)
  return {
    trusted: true,
    run(frame) {
      frame.spend(1)
      try {
        return run(frame) !== false
      } catch (error) {
        if (!(error instanceof CelError)) throw error
        return true
      }
    },
  }
}

/** `or` and `orValue` evaluate their argument on demand. A non-optional receiver is its own value. */
function alternative(take: (given: CelOptional) => unknown): CompileCall {
  return (compiler, { target, args: [arg] }) => {
    const codes = [target, arg].map((each) => compiler.compile(each as Expr))
    const [of, otherwise] = codes.map(({ run }) => run) as [Run, Run]
    return {
      trusted: areTrusted(codes),
      run(frame) {
        const value = of(frame)
        if (!(value instanceof CelOptional)) return value
        return value.hasValue ? take(value) : otherwise(frame)
      },
    }
  }
}

/** Membership in a constant list costs nothing. */
function membership(compiler: Compiler, node: Call): Code | undefined {
  const [item, list] = node.args
  if (list?.kind !== 'list' || compiler.checked.overloadsOf(node)[0]?.id !== 'in_list') return undefined
  const values = compiler.compile(list).constant?.value
  if (!Array.isArray(values)) return undefined
  if (values.length === 0) return constant(false)
  if (values.some((each) => typeof each === 'object' && (each === null || Array.isArray(each) || each instanceof Uint8Array)))
    return undefined
  const set = new ValueSet()
  for (const each of values) set.add(adapt(each))
  const { run } = compiler.compile(item as Expr)
  // The items are scalars, which are compared at once.
  return { run: (frame) => drained(set.has(run(frame))), trusted: true }
}

/** `in` of a list (visits every item) or a map, possibly decided at run time. */
function contained(compiler: Compiler, node: Call): Code {
  const known = compiler.checked.overloadsOf(node).length === 1
  const number = compiler.numberOfCall()
  const [item, container] = node.args.map((each) => compiler.compile(each).run) as [Run, Run]
  const cost = ([, of]: readonly unknown[]) => (known && Array.isArray(of) ? of.length : 1)
  const run = (value: unknown, of: unknown): MaybeSteps<boolean> => {
    if (Array.isArray(of)) return contains(of, value)
    return isMap(of) ? getKey(of, value) !== undefined : noOverload()
  }
  return { ...binaryCall(number, item, container, cost, run), trusted: true }
}

const special: { readonly [name: string]: CompileCall } = {
  '_&&_': logical(false),
  '_||_': logical(true),
  '_?_:_': conditional,
  '_==_': equality(true),
  '_!=_': equality(false),
  '_[_]': indexing(select),
  '_[?_]': indexing(selectOptional),
  '_?._': optionalSelect,
  '@not_strictly_false': notStrictlyFalse,
  or: alternative((given) => given),
  orValue: alternative((given) => given.value),
  '@in': (compiler, node) => membership(compiler, node) ?? contained(compiler, node),
}

/** Conversion functions; applied to a constant, the result is constant. */
const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint'])

/** Whether an argument's type must be checked at run time. */
const isUncertain = (wanted: CelType, given: CelType): boolean =>
  wanted.kind !== 'dyn' && wanted.kind !== 'parameter' && (given.kind === 'dyn' || given.kind === 'null' || !sameKind(wanted, given))
const sameKind = (wanted: CelType, given: CelType) =>
  wanted.kind === given.kind && (given.kind === 'list' || given.kind === 'map' || sameType(wanted, given) || wanted.name === given.name)

type Choose = (args: readonly unknown[]) => Overload
type Implementation = (...args: readonly unknown[]) => unknown

/** Static information about a call's arguments. */
interface Given {
  readonly types: readonly CelType[]
  readonly codes: readonly Code[]
}

const isLooked = (wanted: CelType, index: number, { types, codes }: Given): boolean =>
  isUncertain(wanted, types[index] as CelType) || (codes[index]?.trusted !== true && wanted.kind !== 'dyn' && wanted.kind !== 'parameter')

/** The overload, if it is certain statically; undefined: chosen at run time. */
function certain(overloads: readonly Overload[], given: Given): Overload | undefined {
  const [only] = overloads
  if (!only || overloads.length > 1) return undefined
  return only.parameters.some((wanted, index) => isLooked(wanted, index, given)) ? undefined : only
}

const holds = (type: CelType, kinds: readonly string[]): boolean =>
  kinds.includes(type.kind) || type.parameters.some((each) => holds(each, kinds))

/** Results have their declared type, except for values that are passed through. */
const isTrusted = (overloads: readonly Overload[], { types, codes }: Given): boolean =>
  overloads.every(({ result }) => !holds(result, ['parameter'])) || (areTrusted(codes) && !types.some((type) => holds(type, ['dyn'])))

type Cost = NonNullable<Overload['cost']>

/** Returns errors as values: cel-go evaluates the second operand even if the first failed, and counts the call. */
function outcome(run: Run, frame: Frame): unknown {
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

/** UTF-16 code units from which on a string is measured in steps. */
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
function unaryCall(number: number, one: Run, cost: Cost | undefined, call: (a: unknown) => unknown): Code {
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
function binaryCall(number: number, one: Run, two: Run, cost: Cost | undefined, call: (a: unknown, b: unknown) => unknown): Code {
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
function variadicCall(number: number, runs: readonly Run[], cost: Cost | undefined, call: Implementation): Code {
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

/** Functions that check a trait of the first operand; errors contain their name only if it is missing. */
const byTrait = new Set(['_+_', '_-_', '_*_', '_/_', '_%_', '-_', '!_', '_<_', '_<=_', '_>_', '_>=_', 'matches', 'size', 'sort'])
/** Functions whose error is only "no such overload". */
const silent = new Set(['contains', 'endsWith', 'startsWith'])
/** Functions whose constant pattern is compiled with the expression. */
const ofPatterns = new Set(['find', 'findAll', 'matches'])
/** Kinds that receive any call and fail themselves. */
const receivers = new Set(['string', 'timestamp', 'duration'])

function noOverloadOf(name: string, overloads: readonly Overload[], args: readonly unknown[]): never {
  if (silent.has(name)) return noOverload()
  const types = args.map(typeOf)
  if (!byTrait.has(name)) return fail(`no such overload: ${name}(${types.map((type) => type.name).join(', ')})`)
  const takes =
    name === '!_' || receivers.has(types[0]?.kind ?? '') || overloads.some(({ parameters: [first] }) => first && matches(first, args[0]))
  return takes ? noOverload() : fail(`no such overload: ${name}`)
}

/** Chooses the overload at run time. */
function chooser(called: FunctionDeclaration, found: readonly Overload[], given: Given): Choose {
  const { name } = called
  const overloads =
    byTrait.has(name) && !areTrusted(given.codes) ? called.overloads.filter(({ member }) => member === found[0]?.member) : found
  const [only] = overloads
  if (only && overloads.length === 1) {
    const uncertain = only.parameters.flatMap((wanted, index) => (isLooked(wanted, index, given) ? [{ wanted, index }] : []))
    return (args) => {
      for (const { wanted, index } of uncertain) if (!matches(wanted, args[index])) return noOverloadOf(name, called.overloads, args)
      return only
    }
  }
  return (args) => {
    for (const each of overloads) if (each.parameters.every((wanted, index) => matches(wanted, args[index]))) return each
    return noOverloadOf(name, called.overloads, args)
  }
}

/** A function call. */
const plainCall: CompileCall = (compiler, node) => {
  const { checked } = compiler
  const called = checked.functionOf(node) as FunctionDeclaration
  const overloads = checked.overloadsOf(node)
  const number = compiler.numberOfCall()
  const nodes = node.target && overloads[0]?.member ? [node.target, ...node.args] : node.args
  const codes = nodes.map((each) => compiler.compile(each))
  const given: Given = { codes, types: nodes.map((each) => checked.typeOf(each)) }
  const counted = overloads.length === 1 || overloads.every(({ byName }) => byName)
  const cost = counted ? overloads[0]?.cost : undefined
  const only = certain(overloads, given)
  const choose = chooser(called, overloads, given)
  const [first, second] = codes
  const runOf = ({ run, runConstant = run }: Overload) => (second?.constant ? runConstant : run) as Implementation
  const call: Implementation = only ? runOf(only) : (...args) => runOf(choose(args))(...args)
  if (ofPatterns.has(called.name) && typeof second?.constant?.value === 'string') {
    const problem = patternProblem(second.constant.value)
    if (problem !== undefined) fail(problem)
  }
  if (compiler.foldsConstants && conversions.has(called.name) && first?.constant && codes.length === 1)
    return constant(drained(call(first.constant.value)))
  const trusted = isTrusted(overloads, given)
  if (first && codes.length === 1) return { ...unaryCall(number, first.run, cost, call), trusted }
  if (first && second && codes.length === 2) return { ...binaryCall(number, first.run, second.run, cost, call), trusted }
  const runs = codes.map(({ run }) => run)
  return { ...variadicCall(number, runs, cost, call), trusted }
}

function extend(list: unknown, items: unknown): unknown {
  for (const each of items as readonly unknown[]) (list as unknown[]).push(each)
  return list
}

/** `accumulator + list` in a loop's step: extends the list in place. */
function growth(compiler: Compiler, node: Call): Code | undefined {
  const [left] = node.args
  if (left?.kind !== 'ident' || !compiler.local(left.name)?.growing) return undefined
  const number = compiler.numberOfCall()
  const codes = node.args.map((each) => compiler.compile(each))
  const runs = codes.map(({ run }) => run)
  const trusted = areTrusted(codes)
  if (node.function === '_+_') return { ...binaryCall(number, runs[0] as Run, runs[1] as Run, undefined, extend), trusted }
  const overload = compiler.checked.overloadsOf(node)[0]
  if (node.function !== 'cel.@mapInsert' || !overload) return undefined
  return { ...variadicCall(number, runs, undefined, overload.run as Implementation), trusted }
}

export const compileCall: CompileCall = (compiler, node, nested) => {
  const name = compiler.checked.functionOf(node)?.name ?? node.function
  const rule = Object.hasOwn(special, name) ? special[name] : undefined
  if (rule) return rule(compiler, node, nested)
  return growth(compiler, node) ?? plainCall(compiler, node, nested)
}
