/** Operators that are compiled in a way of their own: they evaluate operands on demand, or select from values. */
import type { Weigh } from '../functions.ts'
import { after, drained, type MaybeSteps } from '../steps.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { contains, equal, ValueSet } from '../values/compare.ts'
import { CelError } from '../values/errors.ts'
import { adapt, getKey, isMap, smallerWeight } from '../values/maps.ts'
import { CelOpaque, CelOptional, none } from '../values/values.ts'
import { binaryCall, outcome } from './calling.ts'
import { areTrusted, type Code, constant, isAttribute, type Run } from './code.ts'
import type { Compiler } from './compile.ts'
import { prepare, select, selectOptional } from './fields.ts'
import { noOverload } from './overloads.ts'

export type CompileCall = (compiler: Compiler, node: Call, nested: boolean) => Code

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

/** By the name of the function. */
export const operators: { readonly [name: string]: CompileCall } = {
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
