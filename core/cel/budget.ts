/** Bounds how long an expression may run: loops over what a client sends may be nested. */
import type { ASTNode } from 'cel-js'
import { nodesOf } from './ast.ts'

/** Turns of loops in one evaluation. */
const mostTurns = 100_000

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

/** What the package's nodes have besides their published type: how they are evaluated once they are checked. */
interface Node {
  readonly meta: { readonly evaluate: Evaluate; readonly alternate?: Loop }
  setMeta(key: 'evaluate', evaluate: Evaluate): void
}
type Loop = Node & { readonly op: string; readonly args: { readonly step: Node } }

export interface Budget {
  /** Runs an evaluation with a full budget. Throws when it was not enough. */
  spend<T>(run: () => T): T
}

/** Counts the turns of the loops of a checked expression. */
export function createBudget(ast: ASTNode): Budget {
  let left = mostTurns
  const check = () => {
    if (left < 0) throw new Error('operation cancelled: actual cost limit exceeded')
  }
  const before = (node: Node, action: () => void) => {
    const { evaluate } = node.meta
    node.setMeta('evaluate', (...args) => {
      action()
      return evaluate(...args)
    })
  }
  for (const node of nodesOf(ast)) {
    const loop = (node as unknown as Partial<Node>).meta?.alternate
    if (loop?.op !== 'comprehension') continue
    // Some loops go on after an error, so that every loop has to see for itself whether it is worth its start.
    before(loop, check)
    before(loop.args.step, () => {
      left--
      check()
    })
  }
  return {
    spend(run) {
      left = mostTurns
      const value = run()
      check()
      return value
    },
  }
}
