/** Functions of an environment, declared as tables of signatures. */
import type { MaybeSteps } from './steps.ts'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  parameterType,
  stringType,
  timestampType,
  typeOfType,
  typeType,
  uintType,
} from './types.ts'

/** Size of a value for costs, as `weightOf`. */
export type Weigh = (value: unknown) => number

export interface CostRules {
  /**
   * Cost units of a call, which are charged before it runs, from its arguments (receiver first; errors if they failed). Default 1. `weigh`: the
   * sizes of arguments, which are known by then.
   */
  readonly cost?: (args: readonly unknown[], weigh: Weigh) => MaybeSteps<number>
  /** Use this cost even when the overload is chosen at run time; otherwise the cost is 1 then. */
  readonly byName?: true
  /** Runs instead of the function when its second argument is a constant of the expression. */
  readonly runConstant?: (...args: never[]) => unknown
}

export interface Overload extends CostRules {
  readonly id: string
  /** Called on a receiver, which is the first parameter. */
  readonly member: boolean
  readonly parameters: readonly CelType[]
  readonly result: CelType
  /** Returns Steps when it may take long, or when its work is not covered by its cost. Throws a CelError when there is no result. */
  run(...args: readonly never[]): unknown
}

export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** Id, signature such as `list<T>.slice(int, int): list<T>`, implementation and costs. */
export type Row = readonly [id: string, signature: string, run: (...args: never[]) => unknown, costs?: CostRules]

const plainTypes: { readonly [name: string]: CelType } = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  type: typeType,
  uint: uintType,
}

const generic: { readonly [name: string]: (first: CelType, second: CelType) => CelType } = {
  list: listType,
  map: mapType,
  optional: optionalType,
  type: typeOfType,
}

/** Splits at commas outside of brackets. */
function split(text: string): readonly string[] {
  const parts: string[] = []
  let [depth, start] = [0, 0]
  for (const [at, character] of [...text].entries()) {
    if (character === '<') depth++
    else if (character === '>') depth--
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  const last = text.slice(start)
  return (last.trim() === '' ? parts : [...parts, last]).map((each) => each.trim())
}

function typeNamed(text: string, types: { readonly [name: string]: CelType }): CelType {
  const [, name = '', inner] = /^([\w.]+)(?:<(.*)>)?$/.exec(text) ?? []
  if (inner !== undefined) {
    const [first = dynType, second = dynType] = split(inner).map((each) => typeNamed(each, types))
    const make = generic[name]
    if (make) return make(first, second)
  }
  const known = plainTypes[name] ?? types[name]
  if (known) return known
  if (/^[A-Z]$/.test(name)) return parameterType(name)
  throw new Error(`unknown type ${text} in a signature`)
}

const signature = /^(?:(?<receiver>[\w.]+(?:<.*?>+)?)\.(?=[@\w]+\())?(?<name>[@\w.!?:[\]+\-*/%<>=&|]+)\((?<parameters>.*)\): (?<result>.+)$/

/** Declares functions from rows; `types` maps names in signatures to the library's own types. */
export function declare(rows: readonly Row[], types: { readonly [name: string]: CelType } = {}): readonly FunctionDeclaration[] {
  const functions = new Map<string, Overload[]>()
  for (const [id, text, run, costs] of rows) {
    const { receiver, name = '', parameters = '', result = '' } = signature.exec(text)?.groups ?? {}
    const own = split(parameters).map((each) => typeNamed(each, types))
    const member = receiver !== undefined && !namespaces.has(receiver)
    const full = receiver !== undefined && !member ? `${receiver}.${name}` : name
    const overload: Overload = {
      id,
      member,
      parameters: member ? [typeNamed(receiver, types), ...own] : own,
      result: typeNamed(result, types),
      run,
      ...costs,
    }
    functions.set(full, [...(functions.get(full) ?? []), overload])
  }
  return [...functions].map(([name, overloads]) => ({ name, overloads }))
}

/** Receivers in signatures that are namespaces, as in `sets.contains`. */
const namespaces = new Set(['sets', 'optional', 'strings', 'lists', 'format', 'ip', 'cel', 'jsonpatch', 'math', 'base64'])
