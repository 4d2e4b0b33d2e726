/** Conditions in CEL that say which requests a webhook is asked about. They see the spec of the v1 review as `request`. */
import type { Environment } from 'cel-js'
import { createEnvironment } from '../cel/environment.ts'
import { compile, type Program } from '../cel/program.ts'
import { messageOf } from '../schema/message-of.ts'
import { aggregate } from './rules.ts'
import type { ReviewSpec } from './webhook-review.ts'

/** Whether all conditions hold, or why that can't be said: one that is false outweighs others that fail. */
export type MatchConditions = (spec: ReviewSpec) => boolean | { readonly error: string }

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

function conditionEnvironment(): Environment {
  const environment = createEnvironment()
  for (const [name, schema] of Object.entries(types)) environment.registerType({ name, schema })
  return environment.registerVariable('request', 'SubjectAccessReviewSpec')
}

/** Compiles conditions; `problem` is called with the index of each one that is not a condition, and why. */
export function compileMatchConditions(
  expressions: readonly string[],
  problem: (index: number, message: string) => void,
): MatchConditions | undefined {
  if (expressions.length === 0) return undefined
  const environment = conditionEnvironment()
  const conditions: Program[] = []
  for (const [index, expression] of expressions.entries()) {
    const compiled = compile(environment, expression, 'bool')
    if ('problem' in compiled) problem(index, compiled.problem)
    else conditions.push(compiled)
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

function holds(conditions: readonly Program[], context: { readonly request: object }): ReturnType<MatchConditions> {
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
