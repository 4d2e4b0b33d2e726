/** Operators and functions. */
import type { FunctionDeclaration, Overload } from '../functions.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { type CelType, sameType } from '../types.ts'
import { equal, includes } from '../values/compare.ts'
import { CelError, fail } from '../values/errors.ts'
import { adapt, getKey, isMap, weightOf } from '../values/maps.ts'
import { matches } from '../values/typing.ts'
import { CelOpaque, CelOptional } from '../values/values.ts'
import { type Code, constant, isAttribute, type Run } from './code.ts'
import type { Compiler } from './compile.ts'
import { select, selectOptional } from './fields.ts'
import type { Frame } from './frame.ts'

type CompileCall = (compiler: Compiler, node: Call, nested: boolean) => Code

function noOverload(): never {
  return fail('no such overload')
}

/** `&&` and `||`: one side that decides outweighs an error of the other. */
function logical(decides: boolean): CompileCall {
  return (compiler, { args }) => {
    const [left, right] = args.map((each) => compiler.compile(each).run) as [Run, Run]
    return {
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
        const value = right(frame)
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
  const [whenTrue, whenFalse] = [yes, no].map((each) => compiler.compile(each, isAttribute(each)).run) as [Run, Run]
  return {
    run(frame) {
      const value = test(frame)
      if (value === true) return whenTrue(frame)
      return value === false ? whenFalse(frame) : noOverload()
    },
  }
}

/** Units for comparing two values: a traversal of the smaller one. */
function comparisonCost(a: unknown, b: unknown): number {
  if (typeof a === 'boolean' || typeof a === 'number') return weightOf(b) === 0 ? 0 : 1
  return a instanceof CelOpaque ? 1 : Math.ceil(Math.min(weightOf(a), weightOf(b)) * 0.1)
}

function equality(wanted: boolean): CompileCall {
  return (compiler, { args }) => {
    const [left, right] = args.map((each) => compiler.compile(each).run) as [Run, Run]
    return {
      run(frame) {
        const [a, b] = [left(frame), right(frame)]
        frame.spend(comparisonCost(a, b))
        return equal(a, b) === wanted
      },
    }
  }
}

function indexing(get: (operand: unknown, key: unknown) => unknown): CompileCall {
  return (compiler, { args: [operand, key] }, nested) => {
    const of = compiler.operand(operand as Expr, nested)
    const at = compiler.compile(key as Expr, isAttribute(key as Expr)).run
    return {
      run(frame) {
        const value = of(frame)
        const index = at(frame)
        frame.spend(1)
        return get(value, index)
      },
    }
  }
}

const optionalSelect: CompileCall = (compiler, { args: [operand, name] }, nested) => {
  const of = compiler.operand(operand as Expr, nested)
  const key = compiler.nameOfKey(name?.kind === 'literal' ? String(name.value) : '')
  return {
    run(frame) {
      const found = selectOptional(of(frame), key)
      if (found.hasValue) frame.spend(1)
      return found
    },
  }
}

/** Errors count as true, so that loops go on after them. */
const notStrictlyFalse: CompileCall = (compiler, { args: [arg] }) => {
  const { run } = compiler.compile(arg as Expr)
  return {
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

/** `or` and `orValue` evaluate what they are given only when it is needed. */
function alternative(take: (given: CelOptional) => unknown): CompileCall {
  return (compiler, { target, args: [arg] }) => {
    const of = compiler.compile(target as Expr).run
    const otherwise = compiler.compile(arg as Expr).run
    return {
      run(frame) {
        const value = of(frame)
        if (!(value instanceof CelOptional)) return noOverload()
        return value.hasValue ? take(value) : otherwise(frame)
      },
    }
  }
}

/** Membership in a list of constants costs nothing. */
function membership(compiler: Compiler, node: Call): Code | undefined {
  const [item, list] = node.args
  if (list?.kind !== 'list' || compiler.checked.overloadsOf(node)[0]?.id !== 'in_list') return undefined
  const values = compiler.compile(list).constant?.value
  if (!Array.isArray(values)) return undefined
  if (values.length === 0) return constant(false)
  if (values.some((each) => typeof each === 'object' && (each === null || Array.isArray(each) || each instanceof Uint8Array)))
    return undefined
  const contains = includes(values)
  const { run } = compiler.compile(item as Expr)
  return { run: (frame) => contains(run(frame)) }
}

/** `in` of a list, whose every item is looked at, or of a map; which one, a value may have to tell. */
function contained(compiler: Compiler, node: Call): Code {
  const known = compiler.checked.overloadsOf(node).length === 1
  const [item, container] = node.args.map((each) => compiler.compile(each).run) as [Run, Run]
  return {
    run(frame) {
      const [value, within] = [item(frame), container(frame)]
      if (Array.isArray(within)) {
        frame.spend(known ? within.length : 1)
        return within.some((each) => equal(adapt(each), value))
      }
      frame.spend(1)
      return isMap(within) ? getKey(within, value) !== undefined : fail('no such overload: @in')
    },
  }
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

/** Functions that convert; of a constant they are one. */
const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint'])

/** Whether an argument has to be looked at because its type is known only when the expression runs. */
const isUncertain = (wanted: CelType, given: CelType): boolean =>
  wanted.kind !== 'dyn' && wanted.kind !== 'parameter' && (given.kind === 'dyn' || given.kind === 'null' || !sameKind(wanted, given))
const sameKind = (wanted: CelType, given: CelType) =>
  wanted.kind === given.kind && (given.kind === 'list' || given.kind === 'map' || sameType(wanted, given) || wanted.name === given.name)

type Choose = (args: readonly unknown[]) => Overload
type Implementation = (...args: readonly unknown[]) => unknown

/** The overload that is meant whatever the values turn out to be; undefined: they have to be looked at. */
function certain(overloads: readonly Overload[], given: readonly CelType[]): Overload | undefined {
  const [only] = overloads
  if (!only || overloads.length > 1) return undefined
  return only.parameters.some((wanted, index) => isUncertain(wanted, given[index] as CelType)) ? undefined : only
}

/** A call with one or two arguments, without lists of them unless its cost needs one. */
function directCall({ run, cost }: Overload, [one, two]: readonly [Run, Run?]): Code {
  const call = run as Implementation
  if (!two) {
    return {
      run(frame) {
        const a = one(frame)
        const result = call(a)
        frame.spend(cost ? cost([a], result) : 1)
        return result
      },
    }
  }
  return {
    run(frame) {
      const a = one(frame)
      const b = two(frame)
      const result = call(a, b)
      frame.spend(cost ? cost([a, b], result) : 1)
      return result
    },
  }
}

function chooser(name: string, overloads: readonly Overload[], given: readonly CelType[]): Choose {
  const [only] = overloads
  if (only && overloads.length === 1) {
    const uncertain = only.parameters.flatMap((wanted, index) => {
      return isUncertain(wanted, given[index] as CelType) ? [{ wanted, index }] : []
    })
    if (uncertain.length === 0) return () => only
    return (args) => {
      for (const { wanted, index } of uncertain) if (!matches(wanted, args[index])) return fail(`no such overload: ${name}`)
      return only
    }
  }
  return (args) => {
    for (const each of overloads) if (each.parameters.every((wanted, index) => matches(wanted, args[index]))) return each
    return fail(`no such overload: ${name}`)
  }
}

/** A function, with the overload that fits the values. */
const plainCall: CompileCall = (compiler, node) => {
  const { checked } = compiler
  const called = checked.functionOf(node) as FunctionDeclaration
  const overloads = checked.overloadsOf(node)
  const nodes = node.target && overloads[0]?.member ? [node.target, ...node.args] : node.args
  const codes = nodes.map((each) => compiler.compile(each))
  const runs = codes.map(({ run }) => run)
  const given = nodes.map((each) => checked.typeOf(each))
  const choose = chooser(called.name, overloads, given)
  const counted = overloads.length === 1 || overloads.every(({ byName }) => byName)
  const call = (args: readonly unknown[], frame: Frame | undefined): unknown => {
    const overload = choose(args)
    const result = (overload.run as Implementation)(...args)
    frame?.spend(counted && overload.cost ? overload.cost(args, result) : 1)
    return result
  }
  const [first] = codes
  if (compiler.foldsConstants && conversions.has(called.name) && first?.constant && codes.length === 1)
    return constant(call([first.constant.value], undefined))
  const only = runs.length === 1 || runs.length === 2 ? certain(overloads, given) : undefined
  if (only) return directCall(only, runs as [Run, Run?])
  return {
    run: (frame) =>
      call(
        runs.map((run) => run(frame)),
        frame,
      ),
  }
}

/** `accumulator + list` in a loop's step, which extends the list in place. */
function growth(compiler: Compiler, node: Call): Code | undefined {
  const [left] = node.args
  if (left?.kind !== 'ident' || !compiler.local(left.name)?.growing) return undefined
  const [accumulated, ...rest] = node.args.map((each) => compiler.compile(each).run) as [Run, ...Run[]]
  if (node.function === '_+_') {
    return {
      run(frame) {
        const list = accumulated(frame) as unknown[]
        for (const each of (rest[0] as Run)(frame) as readonly unknown[]) list.push(each)
        frame.spend(1)
        return list
      },
    }
  }
  const overload = compiler.checked.overloadsOf(node)[0]
  if (node.function !== 'cel.@mapInsert' || !overload) return undefined
  return {
    run(frame) {
      const args = [accumulated(frame), ...rest.map((run) => run(frame))]
      frame.spend(1)
      return (overload.run as Implementation)(...args)
    },
  }
}

export const compileCall: CompileCall = (compiler, node, nested) => {
  const name = compiler.checked.functionOf(node)?.name ?? node.function
  const rule = Object.hasOwn(special, name) ? special[name] : undefined
  if (rule) return rule(compiler, node, nested)
  return growth(compiler, node) ?? plainCall(compiler, node, nested)
}
