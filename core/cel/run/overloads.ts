/** Selection of the overload of a call: when the expression is compiled, or at run time by the types of values. */
import type { FunctionDeclaration, Overload } from '../functions.ts'
import { type CelType, sameType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { matches, typeOf } from '../values/typing.ts'
import { areTrusted, type Code } from './code.ts'

export function noOverload(): never {
  return fail('no such overload')
}

/** Whether an argument's type must be checked at run time. */
const isUncertain = (wanted: CelType, given: CelType): boolean =>
  wanted.kind !== 'dyn' && wanted.kind !== 'parameter' && (given.kind === 'dyn' || given.kind === 'null' || !sameKind(wanted, given))
const sameKind = (wanted: CelType, given: CelType) =>
  wanted.kind === given.kind && (given.kind === 'list' || given.kind === 'map' || sameType(wanted, given) || wanted.name === given.name)

type Choose = (args: readonly unknown[]) => Overload

/** Static information about a call's arguments. */
export interface Given {
  readonly types: readonly CelType[]
  readonly codes: readonly Code[]
}

const isLooked = (wanted: CelType, index: number, { types, codes }: Given): boolean =>
  isUncertain(wanted, types[index] as CelType) || (codes[index]?.trusted !== true && wanted.kind !== 'dyn' && wanted.kind !== 'parameter')

/** The overload, if it is certain statically; undefined: chosen at run time. */
export function certain(overloads: readonly Overload[], given: Given): Overload | undefined {
  const [only] = overloads
  if (!only || overloads.length > 1) return undefined
  return only.parameters.some((wanted, index) => isLooked(wanted, index, given)) ? undefined : only
}

const holds = (type: CelType, kinds: readonly string[]): boolean =>
  kinds.includes(type.kind) || type.parameters.some((each) => holds(each, kinds))

/** Results have their declared type, except for values that are passed through. */
export const isTrusted = (overloads: readonly Overload[], { types, codes }: Given): boolean =>
  overloads.every(({ result }) => !holds(result, ['parameter'])) || (areTrusted(codes) && !types.some((type) => holds(type, ['dyn'])))

/** Functions that check a trait of the first operand; errors contain their name only if it is missing. */
const byTrait = new Set(['_+_', '_-_', '_*_', '_/_', '_%_', '-_', '!_', '_<_', '_<=_', '_>_', '_>=_', 'matches', 'size', 'sort'])
/** Functions whose error is only "no such overload". */
const silent = new Set(['contains', 'endsWith', 'startsWith'])
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
export function chooser(called: FunctionDeclaration, found: readonly Overload[], given: Given): Choose {
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
