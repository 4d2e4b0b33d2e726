import type { Expr } from '../syntax/ast.ts'
import type { Frame } from './frame.ts'

export type Run = (frame: Frame) => unknown

/** A compiled node. Constants cost nothing. */
export interface Code {
  readonly run: Run
  readonly constant?: { readonly value: unknown }
  /**
   * Values certainly have the node's static type. Otherwise the type may be wrong: in `(dyn(x) + [1]).map(i, i + 1)` the checker
   * assumes that every `i` is an int, and values must be checked at run time.
   */
  readonly trusted?: boolean
}

export const constant = (value: unknown): Code => ({ run: () => value, constant: { value }, trusted: true })
export const areTrusted = (codes: readonly Code[]): boolean => codes.every(({ trusted }) => trusted === true)

/** Nodes that resolve names and fields: they cost one unit, plus one per selection. */
export const isAttribute = (node: Expr): boolean =>
  node.kind === 'ident' || (node.kind === 'select' && !node.test) || (node.kind === 'call' && attributeCalls.has(node.function))
const attributeCalls = new Set(['_[_]', '_[?_]', '_?._', '_?_:_'])
