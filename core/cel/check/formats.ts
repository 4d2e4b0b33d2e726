/** Checks calls of `format` with literal template and list: the type of each argument against its clause. */
import { takes } from '../library/format.ts'
import { type Clause, replaceClauses } from '../library/format-clauses.ts'
import { drained, Steps } from '../steps.ts'
import { type Call, childrenOf, type Expr, nodesOf } from '../syntax/ast.ts'
import type { Issue } from '../syntax/issues.ts'
import type { CelKind, CelType } from '../types.ts'
import { CelError } from '../values/errors.ts'
import type { Checked } from './check.ts'

const numbers: readonly CelKind[] = ['int', 'uint']
const doubles: readonly CelKind[] = ['double', 'string']
const printed: readonly CelKind[] = [...numbers, ...doubles, 'bool', 'bytes', 'duration', 'list', 'map', 'null', 'timestamp', 'type']
const kinds: { readonly [verb: string]: readonly CelKind[] } = {
  s: printed,
  d: numbers,
  f: doubles,
  e: doubles,
  b: [...numbers, 'bool'],
  o: numbers,
  x: [...numbers, 'string', 'bytes'],
  X: [...numbers, 'string', 'bytes'],
}

class WrongArgument extends Error {
  readonly at: number
  constructor({ at }: Expr, message: string) {
    super(message)
    this.at = at
  }
}

const takesType = (verb: string, { kind }: CelType) => kind === 'dyn' || (kinds[verb] ?? []).includes(kind)

/** The first part of an argument that the verb does not accept; looks into list and map literals. */
function wrongPart(verb: string, node: Expr, checked: Checked): Expr | undefined {
  if (!takesType(verb, checked.typeOf(node))) return node
  if (verb !== 's' || (node.kind !== 'list' && node.kind !== 'map')) return undefined
  for (const part of childrenOf(node)) {
    const wrong = wrongPart(verb, part, checked)
    if (wrong) return wrong
  }
  return undefined
}

function issueOf(call: Call, template: string, args: readonly Expr[], checked: Checked): Issue | undefined {
  let used = 0
  try {
    const write = ({ verb }: Clause, index: number) => {
      const wrong = wrongPart(verb, args[index] as Expr, checked)
      if (wrong) throw new WrongArgument(wrong, `error during formatting: ${takes[verb]}, was given ${checked.typeOf(wrong).name}`)
      used++
      return ''
    }
    drained(new Steps(replaceClauses(template, args.length, write)))
  } catch (error) {
    if (error instanceof CelError) return { at: call.at, message: error.message }
    if (error instanceof WrongArgument) return { at: error.at, message: error.message }
    throw error
  }
  if (args.length === used) return undefined
  return { at: call.at, message: `too many arguments supplied to string.format (expected ${used}, got ${args.length})` }
}

/** Errors of all `format` calls in a checked tree. */
export function formatIssues(checked: Checked): readonly Issue[] {
  const issues: Issue[] = []
  for (const node of nodesOf(checked.tree)) {
    if (node.kind !== 'call' || checked.overloadsOf(node)[0]?.id !== 'string_format') continue
    const { target, args } = node
    const [list] = args
    if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') continue
    const values = list.items.map(({ value }) => value)
    const issue = issueOf(node, target.value, values, checked)
    if (issue) issues.push(issue)
  }
  return issues
}
