import type { Expr } from '../syntax/ast.ts'
import type { Frame } from './frame.ts'

export type Run = (frame: Frame) => unknown

/** A compiled node. Constants cost nothing. */
export interface Code {
  readonly run: Run
  readonly constant?: { readonly value: unknown }
  /**
   * The node's values are of its static type. Otherwise the type may be a guess: in `(dyn(x) + [1]).map(i, i + 1)` the checker takes
   * every `i` for an int, and only a look at the value tells.
   */
  readonly trusted?: boolean
}

export const constant = (value: unknown): Code => ({ run: () => value, constant: { value }, trusted: true })
export const areTrusted = (codes: readonly Code[]): boolean => codes.every(({ trusted }) => trusted === true)

/** Nodes that resolve names and fields: one unit for the whole, and one for every selection. */
export const isAttribute = (node: Expr): boolean =>
  node.kind === 'ident' || (node.kind === 'select' && !node.test) || (node.kind === 'call' && attributeCalls.has(node.function))
const attributeCalls = new Set(['_[_]', '_[?_]', '_?._', '_?_:_'])
