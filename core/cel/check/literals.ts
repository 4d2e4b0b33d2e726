/** Literals that a function could never take: patterns, timestamps and durations. */
import { patternProblem } from '../library/regex.ts'
import { type Expr, nodesOf } from '../syntax/ast.ts'
import type { Issue } from '../syntax/issues.ts'
import { CelError } from '../values/errors.ts'
import { parseDuration, parseTimestamp } from '../values/times.ts'

function isTimestamp(text: string): boolean {
  try {
    return parseTimestamp(text) !== undefined
  } catch (error) {
    if (error instanceof CelError) return false
    throw error
  }
}

const valid: { readonly [name: string]: (text: string) => boolean } = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: isTimestamp,
  matches: (text) => patternProblem(text) === undefined,
}

/** The faults of a checked tree's literals. */
export function literalIssues(tree: Expr): readonly Issue[] {
  const issues: Issue[] = []
  for (const node of nodesOf(tree)) {
    if (node.kind !== 'call' || !Object.hasOwn(valid, node.function)) continue
    const literal = node.args[0]
    if (literal?.kind !== 'literal' || typeof literal.value !== 'string') continue
    if (!valid[node.function]?.(literal.value)) issues.push({ at: literal.at, message: `invalid ${node.function} argument` })
  }
  return issues
}
