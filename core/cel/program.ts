import type { ASTNode, Environment } from 'cel-js'
import { names, unescapeFields } from './ast.ts'
import { createBudget } from './budget.ts'

/** A compiled expression. */
export interface Program {
  readonly expression: string
  readonly ast: ASTNode
  /** Of the result: `bool`, `string`, `list<string>`, `dyn` where only a value can tell. */
  readonly type: string
  /** Throws an Error whose message is one line when there is no result, or when it would take too long. */
  evaluate(variables: { readonly [name: string]: unknown }): unknown
}

/** Why an expression is none, in one line. */
export interface CompileProblem {
  readonly problem: string
}

function firstLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return ('summary' in error && typeof error.summary === 'string' ? error.summary : error.message).split('\n', 1)[0] ?? ''
}

const failed = (error: unknown): CompileProblem => ({ problem: `compilation failed: ${firstLine(error)}` })

/** The package's own variable whose `bind` lets a short expression double a value again and again. This API has none. */
const extension = 'cel'

/** Parses and checks an expression. With `wanted`, its result must be of that type, and known to be. */
export function compile(environment: Environment, expression: string, wanted?: 'bool'): Program | CompileProblem {
  try {
    const run = environment.parse(expression)
    const { ast } = run
    if (names(ast, extension)) return failed(`undeclared reference to '${extension}'`)
    unescapeFields(ast)
    const { valid, type = '', error } = run.check()
    if (!valid) return failed(error ?? 'unknown error')
    if (wanted !== undefined && type !== wanted) return { problem: `must evaluate to ${wanted} but got ${type}` }
    const budget = createBudget(ast)
    return {
      expression,
      ast,
      type,
      evaluate(variables) {
        try {
          return budget.spend(() => run(variables))
        } catch (problem) {
          throw new Error(firstLine(problem))
        }
      },
    }
  } catch (error) {
    return failed(error)
  }
}
