/** Checks that list and map literals have items of one type, except in arguments of `format`. */
import { childrenOf, type Entry, type Expr, type Item } from '../syntax/ast.ts'
import type { Issue } from '../syntax/issues.ts'
import { type CelType, formatType, sameType } from '../types.ts'
import type { Checked } from './check.ts'
import { unwrapOptional } from './unify.ts'

/** The function whose list may have mixed types. */
const exempt = 'format'

/** Called once per list literal, and for each entry of a map literal. */
type Fault = (node: Expr, wanted: CelType, found: CelType) => void

function checkItems(items: readonly Item[], { typeOf }: Pick<Checked, 'typeOf'>, fault: Fault): void {
  const types = items.map(({ value, optional }) => (optional ? unwrapOptional(typeOf(value)).type : typeOf(value)))
  const [first] = types
  const at = types.findIndex((type) => first && !sameType(first, type))
  if (first && at >= 0) fault((items[at] as Item).value, first, types[at] as CelType)
}

function checkEntries(entries: readonly Entry[], { typeOf }: Pick<Checked, 'typeOf'>, fault: Fault): void {
  const [first] = entries
  if (!first) return
  const valueType = ({ value, optional }: Entry) => (optional ? unwrapOptional(typeOf(value)).type : typeOf(value))
  const [keys, values] = [typeOf(first.key), valueType(first)]
  for (const entry of entries) {
    if (!sameType(keys, typeOf(entry.key))) fault(entry.key, keys, typeOf(entry.key))
    if (!sameType(values, valueType(entry))) fault(entry.value, values, valueType(entry))
  }
}

/** Errors of all literals in a checked tree. */
export function aggregateIssues(checked: Checked): readonly Issue[] {
  const issues: Issue[] = []
  const types = { typeOf: (node: Expr) => checked.typeOf(node) }
  const fault: Fault = ({ at }, wanted, found) => {
    issues.push({ at, message: `expected type '${formatType(wanted)}' but found '${formatType(found)}'` })
  }
  const visit = (node: Expr): void => {
    if (node.kind === 'call' && node.function === exempt) return
    if (node.kind === 'list') checkItems(node.items, types, fault)
    if (node.kind === 'map') checkEntries(node.entries, types, fault)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(checked.tree)
  return issues
}
