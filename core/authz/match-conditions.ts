/** Conditions in CEL that say which requests a webhook is asked about. They see the spec of the v1 review as `request`. */
import { type ASTNode, Environment } from 'cel-js'
import { RE2JS } from 're2js'
import { aggregate } from './rules.ts'
import type { ReviewSpec } from './webhook-review.ts'

/** Whether all conditions hold, or why that can't be said: one that is false outweighs others that fail. */
export type MatchConditions = (spec: ReviewSpec) => boolean | { readonly error: string }

interface Condition {
  readonly expression: string
  evaluate(context: { readonly request: object }): unknown
}

const types = {
  SelectorRequirement: { key: 'string', operator: 'string', values: 'list<string>' },
  SelectorAttributes: { rawSelector: 'string', requirements: 'list<SelectorRequirement>' },
  ResourceAttributes: {
    namespace: 'string',
    verb: 'string',
    group: 'string',
    version: 'string',
    resource: 'string',
    subresource: 'string',
    name: 'string',
    fieldSelector: 'SelectorAttributes',
    labelSelector: 'SelectorAttributes',
  },
  NonResourceAttributes: { path: 'string', verb: 'string' },
  SubjectAccessReviewSpec: {
    resourceAttributes: 'ResourceAttributes',
    nonResourceAttributes: 'NonResourceAttributes',
    user: 'string',
    groups: 'list<string>',
    extra: 'map<string, list<string>>',
    uid: 'string',
  },
} as const

interface Checker {
  check(node: ASTNode, context: unknown): { readonly name: string }
  getType(name: string): unknown
  createError(code: string, message: string, node: ASTNode): Error
}

interface Evaluator {
  run(node: ASTNode, context: unknown): unknown
}

/** `matches` with an engine that takes linear time, whatever a request holds. The package's own can't be replaced, but a macro comes first. */
function linearMatches({ args, receiver }: { readonly args: readonly ASTNode[]; readonly receiver: ASTNode }) {
  const operands = [receiver, ...args]
  return {
    typeCheck(checker: Checker, _macro: unknown, context: unknown) {
      for (const node of operands) {
        const { name } = checker.check(node, context)
        if (name !== 'string' && name !== 'dyn') throw checker.createError('no_such_overload', `no such overload: matches(${name})`, node)
      }
      return checker.getType('bool')
    },
    evaluate(evaluator: Evaluator, _macro: unknown, context: unknown) {
      const [text, pattern] = operands.map((node) => evaluator.run(node, context))
      if (typeof text !== 'string' || typeof pattern !== 'string') throw new Error('no such overload: matches')
      return RE2JS.compile(pattern).matcher(text).find()
    },
  }
}

function createEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: false })
  for (const [name, schema] of Object.entries(types)) environment.registerType({ name, schema })
  environment.registerFunction('SubjectAccessReviewSpec.matches(ast): bool', linearMatches)
  return environment.registerVariable('request', 'SubjectAccessReviewSpec')
}

const firstLine = (error: { readonly summary?: string; readonly message: string }) => error.summary ?? error.message.split('\n', 1)[0] ?? ''
const messageOf = (error: unknown) => (error instanceof Error ? firstLine(error) : String(error))

/** Compiles conditions; `problem` is called with the index of each one that is not a condition, and why. */
export function compileMatchConditions(
  expressions: readonly string[],
  problem: (index: number, message: string) => void,
): MatchConditions | undefined {
  if (expressions.length === 0) return undefined
  const environment = createEnvironment()
  const conditions: Condition[] = []
  for (const [index, expression] of expressions.entries()) {
    try {
      const evaluate = environment.parse(expression)
      const { valid, type = '', error } = evaluate.check()
      if (!valid) problem(index, `compilation failed: ${error === undefined ? 'unknown error' : messageOf(error)}`)
      else if (type !== 'bool') problem(index, `must evaluate to bool but got ${type}`)
      else conditions.push({ expression, evaluate })
    } catch (error) {
      problem(index, `compilation failed: ${messageOf(error)}`)
    }
  }
  return (spec) => holds(conditions, { request: completed(spec) })
}

const noAttributes = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' }
const noSelector = { key: '', operator: '', values: [] }

/** The fields that every request has, empty ones included. */
function completed({ resourceAttributes, nonResourceAttributes, user = '', groups = [], uid = '', extra = {} }: ReviewSpec): object {
  const whole = (selector: { readonly requirements: readonly object[] } | undefined) =>
    selector && { requirements: selector.requirements.map((each) => ({ ...noSelector, ...each })) }
  const fieldSelector = whole(resourceAttributes?.fieldSelector)
  const labelSelector = whole(resourceAttributes?.labelSelector)
  return {
    user,
    groups,
    uid,
    extra,
    ...(resourceAttributes && {
      resourceAttributes: {
        ...noAttributes,
        ...resourceAttributes,
        ...(fieldSelector && { fieldSelector }),
        ...(labelSelector && { labelSelector }),
      },
    }),
    ...(nonResourceAttributes && { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }),
  }
}

function holds(conditions: readonly Condition[], context: { readonly request: object }): ReturnType<MatchConditions> {
  const errors: string[] = []
  for (const { expression, evaluate } of conditions) {
    try {
      const value = evaluate(context)
      if (value === false) return false
      if (value !== true) errors.push(`cel evaluation error: expression '${expression}' eval result type should be bool`)
    } catch (error) {
      errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${messageOf(error)}`)
    }
  }
  return errors.length === 0 ? true : { error: aggregate(errors) }
}
