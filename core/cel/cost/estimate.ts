/**
 * Static cost estimate (cel-go's checker/cost.go). Paths lead from a variable through fields,
 * `@items`, `@keys`, `@values` and `@indices` to a type of the schema, which bounds the size of values.
 */
import type { Checked } from '../check/check.ts'
import { accumulator, type Call, type Expr, type Fold, type Select } from '../syntax/ast.ts'
import { type CelType, isOptional } from '../types.ts'
import { lengthOf } from '../values/maps.ts'
import { estimateCall } from './calls.ts'
import { add, fixed, largest, multiply, one, type Range, sum, union, unknown, zero } from './range.ts'

type Path = readonly string[]

/** Sizes of a list's or map's entries. */
interface Entries {
  readonly kind: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

interface Local {
  readonly path: Path | undefined
  readonly size: Range | undefined
  readonly entries: Entries | undefined
}

/** A node in the estimate of a call. */
export interface EstimatedNode {
  readonly node: Expr | undefined
  readonly type: CelType
  readonly path: Path | undefined
  /** Undefined: unknown. */
  readonly size: Range | undefined
}

export interface EstimatedCall {
  readonly name: string
  readonly overload: string
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
  readonly costs: readonly Range[]
  /** The items of a list. */
  itemsOf(list: EstimatedNode): EstimatedNode | undefined
}

export interface CallEstimate {
  readonly cost: Range
  /** Size of the result. */
  readonly size?: Range | undefined
}

/** Size of a value by path and type; the path is empty for values that don't come from a variable. Undefined: unknown. */
export type SizeOf = (path: Path, type: CelType) => Range | undefined

/** Declared size of the values at a path. As in the reference, keys and objects have no declared size. */
function declaredSize(root: CelType | undefined, steps: Path): Range | undefined {
  let type = root
  for (const step of steps) {
    if (step === '@items') type = type?.kind === 'list' ? type.parameters[0] : undefined
    else if (step === '@values') type = type?.kind === 'map' ? type.parameters[1] : undefined
    else if (step === '@keys') type = type?.kind === 'map' ? type.parameters[0] : undefined
    else type = type?.field?.(step)?.type
  }
  if (type === undefined || (type.kind === 'dyn' && type.maxElements === undefined)) return undefined
  return { min: 0, max: type.maxElements ?? 0 }
}

/** Declared sizes of variables' types. */
export function declaredSizes(variables: ReadonlyMap<string, CelType>): SizeOf {
  return ([name = '', ...steps]) => declaredSize(variables.get(name), steps)
}

/**
 * Sizes in rules of custom resources: as in the reference, every path is resolved from the value itself, even when it starts at an
 * item of a list that the expression built.
 */
export function sizesIn(root: CelType): SizeOf {
  return (path) => (path.length === 0 ? undefined : declaredSize(root, path.slice(1)))
}

const scalars = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])
const isScalar = (type: CelType): boolean => scalars.has(type.kind) || (isOptional(type) && isScalar(type.parameters[0] as CelType))

function literalSize(value: unknown): Range {
  if (typeof value === 'string') return fixed(lengthOf(value))
  return fixed(value instanceof Uint8Array ? value.length : 1)
}

function unionOf(a: Entries | undefined, b: Entries | undefined): Entries | undefined {
  return a && b && { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) }
}

class Estimator {
  readonly #checked: Checked
  readonly #sizeOf: SizeOf
  readonly #paths = new Map<Expr, Path>()
  readonly #sizes = new Map<Expr, Range>()
  readonly #entries = new Map<Expr, Entries>()
  readonly #locals = new Map<string, Local[]>()

  constructor(checked: Checked, sizeOf: SizeOf) {
    this.#checked = checked
    this.#sizeOf = sizeOf
  }

  cost(node: Expr): Range {
    switch (node.kind) {
      case 'literal':
        return zero
      case 'ident':
        this.#paths.set(node, this.#local(node.name)?.path ?? [this.#rootOf(node) ?? node.name])
        return one
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#collection(
          node,
          'list',
          node.items.map(({ value }) => [undefined, value] as const),
          10,
        )
      case 'map':
        return this.#collection(
          node,
          'map',
          node.entries.map(({ key, value }) => [key, value] as const),
          30,
        )
      case 'struct':
        return sum([...node.fields.map(({ value }) => this.cost(value)), fixed(40)])
      case 'fold':
        return this.#fold(node)
    }
  }

  #rootOf(node: Expr): string | undefined {
    const named = this.#checked.nameOf(node)
    return named && 'variable' in named ? named.variable : undefined
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local])
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop()
  }

  #pathOf(node: Expr): Path | undefined {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined
    return local ? local.path : this.#paths.get(node)
  }

  #select(node: Select): Range {
    const root = this.#rootOf(node)
    if (root !== undefined) {
      this.#paths.set(node, [root])
      return one
    }
    const operand = this.cost(node.operand)
    if (node.test) return operand
    this.#paths.set(node, [...(this.#pathOf(node.operand) ?? []), node.field])
    const { kind } = this.#checked.typeOf(node.operand)
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? add(operand, one) : operand
  }

  #size(node: Expr): Range | undefined {
    const known = this.#sizes.get(node)
    if (known) return known
    if (node.kind === 'literal') return literalSize(node.value)
    if (node.kind === 'list') return fixed(node.items.length)
    if (node.kind === 'map') return fixed(node.entries.length)
    const path = this.#pathOf(node)
    const declared = this.#sizeOf(path ?? [], this.#checked.typeOf(node))
    if (declared) {
      this.#sizes.set(node, declared)
      return declared
    }
    if (isScalar(this.#checked.typeOf(node))) return one
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined
  }

  #entriesOf(node: Expr): Entries | undefined {
    return this.#entries.get(node) ?? (node.kind === 'ident' ? this.#local(node.name)?.entries : undefined)
  }

  #node(node: Expr): EstimatedNode {
    const path = this.#pathOf(node)
    const hidden = path?.[0] === accumulator
    return { node, type: this.#checked.typeOf(node), path: hidden ? undefined : path, size: this.#size(node) }
  }

  readonly #itemsOf = ({ type, path }: EstimatedNode): EstimatedNode | undefined => {
    const [items] = type.parameters
    if (!items) return undefined
    const below = path && [...path, '@items']
    return { node: undefined, type: items, path: below, size: this.#sizeOf(below ?? [], items) }
  }

  #call(node: Call): Range {
    const called = this.#checked.functionOf(node)
    const overloads = this.#checked.overloadsOf(node)
    if (called?.name === 'dyn') {
      const [arg] = node.args as readonly [Expr]
      const cost = this.cost(arg)
      this.#copySizes(node, arg)
      return add(one, cost)
    }
    const costs = node.args.map((each) => this.cost(each))
    const args = node.args.map((each) => this.#node(each))
    if (!called || overloads.length === 0) return zero
    const receiver = overloads[0]?.member ? node.target : undefined
    const before = receiver ? this.cost(receiver) : zero
    const target = receiver && this.#node(receiver)
    let cost: Range = { min: largest, max: 0 }
    let size: Range | undefined
    for (const { id } of overloads) {
      const estimate = estimateCall({ name: called.name, overload: id, target, args, costs, itemsOf: this.#itemsOf })
      cost = union(cost, estimate.cost)
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size
      if (id === 'index_list' || id === 'index_map') size = this.#indexed(node, id === 'index_list' ? '@items' : '@values')
      size ??= this.#size(node)
    }
    this.#trackEntries(node, called.name)
    if (size) this.#sizes.set(node, size)
    return add(before, cost)
  }

  #indexed(node: Call, step: string): Range | undefined {
    const [operand] = node.args as readonly [Expr]
    this.#paths.set(node, [...(this.#pathOf(operand) ?? []), step])
    return this.#entriesOf(operand)?.value
  }

  /** Tracks entry sizes through `?:` and `+`. */
  #trackEntries(node: Call, name: string): void {
    const [first, second] = name === '_?_:_' ? node.args.slice(1) : name === '_+_' ? node.args : []
    const entries = first && second && unionOf(this.#entriesOf(first), this.#entriesOf(second))
    if (entries) this.#entries.set(node, entries)
  }

  #copySizes(to: Expr, from: Expr): void {
    const [size, entries] = [this.#size(from), this.#entriesOf(from)]
    if (size) this.#sizes.set(to, size)
    if (entries) this.#entries.set(to, entries)
  }

  #collection(node: Expr, kind: 'list' | 'map', items: readonly (readonly [Expr | undefined, Expr])[], base: number): Range {
    const empty: Range = { min: items.length === 0 ? 0 : largest, max: 0 }
    let [cost, key, value] = [zero, kind === 'list' ? one : empty, empty]
    for (const [name, each] of items) {
      cost = add(cost, name ? this.cost(name) : zero, this.cost(each))
      if (name) key = union(key, this.#size(name) ?? unknown)
      value = union(value, this.#size(each) ?? unknown)
    }
    this.#entries.set(node, { kind, key, value })
    return add(cost, fixed(base))
  }

  #bind(node: Fold): Range {
    const before = add(this.cost(node.range), this.cost(node.init))
    this.#push(node.accumulator, this.#bound(node.init))
    const result = this.cost(node.result)
    this.#pop(node.accumulator)
    this.#copySizes(node, node.result)
    return add(before, result)
  }

  #bound(node: Expr): Local {
    return { path: this.#pathOf(node), size: this.#size(node), entries: this.#entriesOf(node) }
  }

  /** Paths and types of a comprehension's variables. */
  #variables({ range, variable, variable2 }: Fold): readonly (readonly [name: string, local: Local])[] {
    const entries = this.#entriesOf(range)
    const isList = (entries?.kind ?? this.#checked.typeOf(range).kind) === 'list'
    const path = this.#pathOf(range) ?? []
    const at = (step: string, size: Range | undefined): Local => ({ path: [...path, step], size, entries: undefined })
    const key = at(isList ? '@indices' : '@keys', entries?.key)
    const value = at(isList ? '@items' : '@values', entries?.value)
    if (variable2 !== undefined)
      return [
        [variable, key],
        [variable2, value],
      ]
    return [[variable, isList ? value : key]]
  }

  #fold(node: Fold): Range {
    const { range, init, condition, step, result, accumulator: name } = node
    const isEmpty = range.kind === 'list' && range.items.length === 0
    if (isEmpty && condition.kind === 'literal' && condition.value === false && name !== accumulator) return this.#bind(node)
    const before = add(this.cost(range), this.cost(init))
    this.#push(name, this.#bound(init))
    const variables = this.#variables(node)
    for (const [each, local] of variables) this.#push(each, local)
    const turn = add(this.cost(condition), this.cost(step))
    for (const [each] of variables) this.#pop(each)
    const after = this.cost(result)
    this.#pop(name)
    const count = this.#size(range) ?? unknown
    this.#keepResultSize(node, count)
    return add(before, after, multiply(count, turn))
  }

  #keepResultSize(node: Fold, count: Range): void {
    const { init, step } = node
    if (init.kind === 'literal') this.#sizes.set(node, literalSize(init.value))
    if (init.kind !== 'list' && init.kind !== 'map') return
    this.#sizes.set(node, count)
    const entries = this.#entriesOf(step)
    if (entries) this.#entries.set(node, entries)
  }
}

/** Minimum and maximum cost units of an evaluation. */
export function estimateCost(checked: Checked, sizeOf: SizeOf): Range {
  return new Estimator(checked, sizeOf).cost(checked.tree)
}
