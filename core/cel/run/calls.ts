/** Compilation of function calls. */
import { patternProblem } from '../../schema/formats/pattern.ts'
import type { FunctionDeclaration, Overload } from '../functions.ts'
import { drained } from '../steps.ts'
import type { Call } from '../syntax/ast.ts'
import { fail } from '../values/errors.ts'
import { binaryCall, type Implementation, unaryCall, variadicCall } from './calling.ts'
import { areTrusted, type Code, constant, type Run } from './code.ts'
import type { Compiler } from './compile.ts'
import { type CompileCall, operators } from './operators.ts'
import { certain, chooser, type Given, isTrusted } from './overloads.ts'

/** Conversion functions; applied to a constant, the result is constant. */
const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint'])

/** Functions whose constant pattern is compiled with the expression. */
const ofPatterns = new Set(['find', 'findAll', 'matches'])

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
  const rule = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (rule) return rule(compiler, node, nested)
  return growth(compiler, node) ?? plainCall(compiler, node, nested)
}
