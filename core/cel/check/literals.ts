/** Checks literal arguments: patterns, timestamps and durations. */
import { patternProblem } from '../../schema/formats/pattern.ts'
import { type Expr, nodesOf } from '../syntax/ast.ts'
import type { Issue } from '../syntax/issues.ts'
import { CelError } from '../values/errors.ts'
import { isInt } from '../values/numbers.ts'
import { parseDuration, parseTimestamp, timestampOf } from '../values/times.ts'

function isTimestamp(value: unknown): boolean {
  try {
    return (isInt(value) ? timestampOf(value) : parseTimestamp(String(value))) !== undefined
  } catch (error) {
    if (error instanceof CelError) return false
    throw error
  }
}

const valid: { readonly [name: string]: (value: unknown) => boolean } = {
  duration: (value) => typeof value !== 'string' || parseDuration(value) !== undefined,
  timestamp: isTimestamp,
  matches: (value) => typeof value !== 'string' || patternProblem(value) === undefined,
}

/** Errors of a checked tree's literals. */
export function literalIssues(tree: Expr): readonly Issue[] {
  const issues: Issue[] = []
  for (const node of nodesOf(tree)) {
    if (node.kind !== 'call' || !Object.hasOwn(valid, node.function)) continue
    const literal = node.args[0]
    if (literal?.kind !== 'literal') continue
    if (!valid[node.function]?.(literal.value)) issues.push({ at: literal.at, message: `invalid ${node.function} argument` })
  }
  return issues
}
