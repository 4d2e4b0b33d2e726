import type { Expr } from '../syntax/ast.ts'
import type { Frame } from './frame.ts'

export type Run = (frame: Frame) => unknown

/** A compiled node. Constants cost nothing. */
export interface Code {
  readonly run: Run
  readonly constant?: { readonly value: unknown }
}

export const constant = (value: unknown): Code => ({ run: () => value, constant: { value } })

/** Nodes that resolve names and fields: one unit for the whole, and one for every selection. */
export const isAttribute = (node: Expr): boolean =>
  node.kind === 'ident' || (node.kind === 'select' && !node.test) || (node.kind === 'call' && attributeCalls.has(node.function))
const attributeCalls = new Set(['_[_]', '_[?_]', '_?._', '_?_:_'])
