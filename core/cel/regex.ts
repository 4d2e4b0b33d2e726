import type { ASTNode, Environment } from 'cel-js'
import { RE2JS } from 're2js'
import { messageOf } from '../schema/message-of.ts'

interface Checker {
  check(node: ASTNode, context: unknown): { readonly name: string }
  getType(name: string): unknown
  createError(code: string, message: string, node: ASTNode): Error
}

interface Evaluator {
  run(node: ASTNode, context: unknown): unknown
}

/** `matches` of the package itself is not linear and can't be replaced, but a macro comes first, whatever type it is declared for. */
function linearMatches({ args, receiver }: { readonly args: readonly ASTNode[]; readonly receiver: ASTNode }) {
  const operands = [receiver, ...args]
  return {
    typeCheck(checker: Checker, _macro: unknown, context: unknown) {
      for (const node of operands) {
        const { name } = checker.check(node, context)
        if (name !== 'string' && name !== 'dyn') throw checker.createError('no_such_overload', `no such overload: matches(${name})`, node)
      }
      const [pattern] = args
      if (pattern?.op === 'value' && typeof pattern.args === 'string') checkPattern(pattern.args, checker, pattern)
      return checker.getType('bool')
    },
    evaluate(evaluator: Evaluator, _macro: unknown, context: unknown) {
      const [text, pattern] = operands.map((node) => evaluator.run(node, context))
      if (typeof text !== 'string' || typeof pattern !== 'string') throw new Error('no such overload: matches')
      return RE2JS.compile(pattern).matcher(text).find()
    },
  }
}

function checkPattern(pattern: string, checker: Checker, node: ASTNode): void {
  try {
    RE2JS.compile(pattern)
  } catch (error) {
    throw checker.createError('invalid_regular_expression', messageOf(error), node)
  }
}

function findAll(text: string, pattern: string, limit = -1n): string[] {
  const found: string[] = []
  const matcher = RE2JS.compile(pattern).matcher(text)
  while ((limit < 0n || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '')
  return found
}

/** Regular expressions on an engine that takes linear time: `matches`, `find` and `findAll`. */
export function registerRegex(environment: Environment): void {
  environment
    .registerFunction('map.matches(ast): bool', linearMatches)
    .registerFunction('string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1n)[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern))
    .registerFunction('string.findAll(string, int): list<string>', findAll)
}
