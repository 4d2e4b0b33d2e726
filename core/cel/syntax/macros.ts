/** Macros: calls that the parser rewrites, so that they can bind variables and evaluate operands selectively. */
import { accumulator, type Call, type Expr, type Fold, type Ident, type Item, type Literal } from './ast.ts'
import type { Issue } from './issues.ts'

export interface MacroCall {
  readonly at: number
  readonly target: Expr
  readonly args: readonly Expr[]
}

export type Macro = (written: MacroCall) => Expr | Issue

/** By name and number of arguments, such as `has/1`; with receiver, such as `.all/2`. */
export type Macros = ReadonlyMap<string, Macro>

const literal = (at: number, value: unknown): Literal => ({ kind: 'literal', at, value })
const ident = (at: number, name: string): Ident => ({ kind: 'ident', at, name })
const call = (at: number, name: string, args: readonly Expr[], target?: Expr): Call => ({
  kind: 'call',
  at,
  function: name,
  target,
  args,
})
const item = (value: Expr): Item => ({ value, optional: false })
const list = (at: number, ...values: readonly Expr[]): Expr => ({ kind: 'list', at, items: values.map(item) })

/** Variables bound by the first arguments of a macro. */
type Names = readonly [first: string, second?: string]

function namesOf(args: readonly Expr[], count: 1 | 2, notName: string): Names | Issue {
  const names: string[] = []
  for (const each of args.slice(0, count)) {
    if (each.kind !== 'ident') return { at: each.at, message: notName }
    names.push(each.name)
  }
  const [first = '', second] = names
  const last = args[count - 1]?.at ?? 0
  if (first === second) return { at: last, message: `duplicate variable name: ${first}` }
  const taken = args.slice(0, count).find((each) => each.kind === 'ident' && (each.name === '__result__' || each.name === accumulator))
  if (taken) return { at: taken.at, message: 'iteration variable overwrites accumulator variable' }
  return second === undefined ? [first] : [first, second]
}

/** Builds a loop from its position and the arguments after the variables. */
type Loop = (at: number, rest: readonly Expr[], names: Names) => Pick<Fold, 'init' | 'condition' | 'step' | 'result'>

const always = (at: number) => literal(at, true)
const result = (at: number) => ident(at, accumulator)
/** Runs a step only if the filter is true. */
const when = (at: number, filter: Expr | undefined, step: Expr) => (filter ? call(at, '_?_:_', [filter, step, result(at)]) : step)

const all: Loop = (at, [predicate]) => ({
  init: literal(at, true),
  condition: call(at, '@not_strictly_false', [result(at)]),
  step: call(at, '_&&_', [result(at), predicate as Expr]),
  result: result(at),
})

const exists: Loop = (at, [predicate]) => ({
  init: literal(at, false),
  condition: call(at, '@not_strictly_false', [call(at, '!_', [result(at)])]),
  step: call(at, '_||_', [result(at), predicate as Expr]),
  result: result(at),
})

const existsOne: Loop = (at, [predicate]) => ({
  init: literal(at, 0),
  condition: always(at),
  step: when(at, predicate, call(at, '_+_', [result(at), literal(at, 1)])),
  result: call(at, '_==_', [result(at), literal(at, 1)]),
})

/** Builds lists of the last argument's values, filtered by the argument before it, if any. */
const transformList: Loop = (at, rest) => ({
  init: list(at),
  condition: always(at),
  step: when(at, rest.length === 2 ? rest[0] : undefined, call(at, '_+_', [result(at), list(at, rest.at(-1) as Expr)])),
  result: result(at),
})

const filter: Loop = (at, [predicate], [name]) => ({
  init: list(at),
  condition: always(at),
  step: when(at, predicate, call(at, '_+_', [result(at), list(at, ident(at, name))])),
  result: result(at),
})

const insert =
  (entry: (at: number, name: string, value: Expr) => readonly Expr[]): Loop =>
  (at, rest, [name]) => ({
    init: { kind: 'map', at, entries: [] },
    condition: always(at),
    step: when(
      at,
      rest.length === 2 ? rest[0] : undefined,
      call(at, 'cel.@mapInsert', [result(at), ...entry(at, name, rest.at(-1) as Expr)]),
    ),
    result: result(at),
  })
const transformMap = insert((at, name, value) => [ident(at, name), value])
const transformMapEntry = insert((_at, _name, value) => [value])

function loop(body: Loop, count: 1 | 2, notName: string): Macro {
  return ({ at, target, args }) => {
    const names = namesOf(args, count, notName)
    if ('message' in names) return names
    const [variable, variable2] = names
    return { kind: 'fold', at, range: target, variable, variable2, accumulator, ...body(at, args.slice(count), names) }
  }
}

const simple = 'argument must be a simple name'
const identifier = 'argument is not an identifier'

const has: Macro = ({ at, args }) => {
  const [tested] = args as readonly [Expr]
  if (tested.kind !== 'select') return { at: tested.at, message: 'invalid argument to has() macro' }
  return { ...tested, at, test: true }
}

/** The macros of the language. */
export const standardMacros: Macros = new Map<string, Macro>([
  ['has/1', has],
  ['.all/2', loop(all, 1, simple)],
  ['.exists/2', loop(exists, 1, simple)],
  ['.exists_one/2', loop(existsOne, 1, simple)],
  ['.map/2', loop(transformList, 1, identifier)],
  ['.map/3', loop(transformList, 1, identifier)],
  ['.filter/2', loop(filter, 1, identifier)],
])

/** Macros with two variables: index or key, and element or value. */
export const twoVariableMacros: Macros = new Map<string, Macro>([
  ['.all/3', loop(all, 2, simple)],
  ['.exists/3', loop(exists, 2, simple)],
  ['.exists_one/3', loop(existsOne, 2, simple)],
  ['.existsOne/3', loop(existsOne, 2, simple)],
  ['.transformList/3', loop(transformList, 2, simple)],
  ['.transformList/4', loop(transformList, 2, simple)],
  ['.transformMap/3', loop(transformMap, 2, simple)],
  ['.transformMap/4', loop(transformMap, 2, simple)],
  ['.transformMapEntry/3', loop(transformMapEntry, 2, simple)],
  ['.transformMapEntry/4', loop(transformMapEntry, 2, simple)],
])

/** Binds a name in an expression: a loop without iterations, whose accumulator it is. */
function bind(at: number, name: string, init: Expr, body: Expr): Fold {
  return {
    kind: 'fold',
    at,
    range: list(at),
    variable: '#unused',
    variable2: undefined,
    accumulator: name,
    init,
    condition: literal(at, false),
    step: ident(at, name),
    result: body,
  }
}

/** `cel.bind(name, value, expression)`. */
const celBind: Macro = ({ at, target, args }) => {
  const [variable, value, body] = args as readonly [Expr, Expr, Expr]
  if (target.kind !== 'ident' || target.name !== 'cel') return call(at, 'bind', args, target)
  if (variable.kind !== 'ident') return { at: variable.at, message: 'cel.bind() variable names must be simple identifiers' }
  return bind(at, variable.name, value, body)
}

export const bindingMacros: Macros = new Map([['.bind/3', celBind]])

const optional =
  (name: string, wrap: (at: number, mapped: Expr) => Expr): Macro =>
  ({ at, target, args }) => {
    const [variable, body] = args as readonly [Expr, Expr]
    if (variable.kind !== 'ident') return { at: variable.at, message: `${name}() variable name must be a simple identifier` }
    const value = call(at, 'value', [], target)
    const some = wrap(at, bind(at, variable.name, value, body))
    return call(at, '_?_:_', [call(at, 'hasValue', [], target), some, call(at, 'optional.none', [])])
  }

/** Macros of optional values. */
export const optionalMacros: Macros = new Map<string, Macro>([
  ['.optMap/2', optional('optMap', (at, mapped) => call(at, 'optional.of', [mapped]))],
  ['.optFlatMap/2', optional('optFlatMap', (_, mapped) => mapped)],
])

const sortInput = '@__sortBy_input__'

/** `list.sortBy(e, key)`: sorts the list by key. */
const sortBy: Macro = ({ at, target, args }) => {
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
    return { at: target.at, message: 'sortBy can only be applied to a list, identifier, comprehension, call or select expression' }
  }
  const keys = loop(transformList, 1, identifier)({ at, target: ident(at, sortInput), args })
  if ('message' in keys) return keys
  return bind(at, sortInput, target, call(at, '@sortByAssociatedKeys', [keys], ident(at, sortInput)))
}

export const listMacros: Macros = new Map([['.sortBy/2', sortBy]])
