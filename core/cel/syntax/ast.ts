/** The syntax tree of CEL. The parser expands macros, so comprehensions are the only nodes that bind variables. */

/** An `int` is a number when it is a safe integer and a bigint otherwise; see ../values/values.ts for all types. */
export interface Literal {
  readonly kind: 'literal'
  readonly at: number
  readonly value: unknown
}

export interface Ident {
  readonly kind: 'ident'
  readonly at: number
  readonly name: string
}

/** `operand.field`, or with `test` the presence test `has(operand.field)`. */
export interface Select {
  readonly kind: 'select'
  readonly at: number
  readonly operand: Expr
  readonly field: string
  readonly test: boolean
}

/** Operators are calls too: `_+_`, `_[_]`, `_?_:_` and so on. */
export interface Call {
  readonly kind: 'call'
  readonly at: number
  readonly function: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

export interface Item {
  readonly value: Expr
  readonly optional: boolean
}

export interface ListLiteral {
  readonly kind: 'list'
  readonly at: number
  readonly items: readonly Item[]
}

export interface Entry extends Item {
  readonly at: number
  readonly key: Expr
}

export interface MapLiteral {
  readonly kind: 'map'
  readonly at: number
  readonly entries: readonly Entry[]
}

export interface FieldInit extends Item {
  readonly at: number
  readonly field: string
}

/** `Name{field: value}`. */
export interface StructLiteral {
  readonly kind: 'struct'
  readonly at: number
  readonly name: string
  readonly fields: readonly FieldInit[]
}

/** A comprehension: folds `step` over a range while `condition` is true. Without iterations (`cel.bind`) it binds one variable. */
export interface Fold {
  readonly kind: 'fold'
  readonly at: number
  readonly range: Expr
  readonly variable: string
  readonly variable2: string | undefined
  readonly accumulator: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** `at` is the offset for errors about the node: its operator, dot or opening bracket. */
export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Fold

/** Name of all macros' accumulator; users can't write it. */
export const accumulator = '@result'

const noChildren: readonly Expr[] = []

/** The direct children of a node. */
export function childrenOf(node: Expr): readonly Expr[] {
  switch (node.kind) {
    case 'select':
      return [node.operand]
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args
    case 'list':
      return node.items.map(({ value }) => value)
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'struct':
      return node.fields.map(({ value }) => value)
    case 'fold':
      return [node.range, node.init, node.condition, node.step, node.result]
    default:
      return noChildren
  }
}

/** A node and all of its descendants, each before its children. With a stack: generators within each other would pass every node through all levels. */
export function* nodesOf(node: Expr): Iterable<Expr> {
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    const children = childrenOf(next)
    for (let at = children.length - 1; at >= 0; at--) open.push(children[at] as Expr)
  }
}

/** Whether an expression selects a field of a variable, as `variable.field` or `variable.?field`. */
export function selects(expression: Expr, variable: string, field: string): boolean {
  const isVariable = (node: Expr | undefined) => node?.kind === 'ident' && node.name === variable
  for (const node of nodesOf(expression)) {
    if (node.kind === 'select' && isVariable(node.operand) && node.field === field) return true
    if (node.kind !== 'call' || node.function !== '_?._' || !isVariable(node.args[0])) continue
    const name = node.args[1]
    if (name?.kind === 'literal' && name.value === field) return true
  }
  return false
}

/** The name spelled by identifiers and plain selections, such as `a.b.c`; undefined for other nodes. */
export function qualifiedName(node: Expr): string | undefined {
  if (node.kind === 'ident') return node.name
  if (node.kind !== 'select' || node.test) return undefined
  const prefix = qualifiedName(node.operand)
  return prefix === undefined ? undefined : `${prefix}.${node.field}`
}
