import type { ASTNode } from 'cel-js'

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value

function childrenOf({ args }: ASTNode): readonly ASTNode[] {
  const operands: readonly unknown[] = Array.isArray(args) ? (args as readonly unknown[]).flat(2) : [args]
  return operands.filter(isNode)
}

/** A node and everything below it, as it was written: macros are not expanded. */
export function* nodesOf(node: ASTNode): Iterable<ASTNode> {
  yield node
  for (const child of childrenOf(node)) yield* nodesOf(child)
}

/** Whether an expression names a variable. */
export function names(ast: ASTNode, variable: string): boolean {
  for (const { op, args } of nodesOf(ast)) if (op === 'id' && args === variable) return true
  return false
}

/** Whether an expression selects a field of a variable, as `variable.field` or `variable.?field`. */
export function selects(ast: ASTNode, variable: string, field: string): boolean {
  for (const node of nodesOf(ast)) {
    if (node.op !== '.' && node.op !== '.?') continue
    const [{ op, args }, name] = node.args
    if (op === 'id' && args === variable && name === field) return true
  }
  return false
}

const escapes: { readonly [name: string]: string | undefined } = { underscores: '__', dot: '.', dash: '-', slash: '/' }
const reserved =
  /^(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/

/** The name that an escaped identifier stands for: `foo__dot__bar` is `foo.bar`, `__in__` is `in`. What is no escape stays. */
function unescaped(name: string): string {
  const keyword = /^__([a-z]+)__$/.exec(name)?.[1]
  if (keyword !== undefined && reserved.test(keyword)) return keyword
  let known = true
  const text = name.replace(/__([^_]+)__/g, (written, word: string) => {
    const character = Object.hasOwn(escapes, word) ? escapes[word] : undefined
    known &&= character !== undefined
    return character ?? written
  })
  return known ? text : name
}

/** Lets an expression reach fields whose names are no identifiers: rewrites escaped names in selections. */
export function unescapeFields(ast: ASTNode): void {
  for (const node of nodesOf(ast)) if (node.op === '.' || node.op === '.?') node.args[1] = unescaped(node.args[1])
}
