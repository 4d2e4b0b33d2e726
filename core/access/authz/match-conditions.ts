/** CEL match conditions that select the requests a webhook is asked about. The spec of the v1 SubjectAccessReview is `request`. */
import { createCelEnvironment } from '../../cel/environment.ts'
import type { Evaluation, Program } from '../../cel/program.ts'
import { Replay } from '../../cel/replay.ts'
import { boolType, listType, mapType, objectType, stringType } from '../../cel/types.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { Slices } from '../../common/slices.ts'
import { aggregate } from './rules.ts'
import type { ReviewSpec } from './webhook-review.ts'

/** Whether all conditions are true, or the evaluation error; one false condition takes precedence over errors. */
export type Match = boolean | { readonly error: string }
/** A promise only if a time slice ended meanwhile. */
export type MatchConditions = (spec: ReviewSpec, slices: Slices) => MaybePromise<Match>

const requirementType = objectType('kubernetes.LabelSelectorRequirement', {
  key: stringType,
  operator: stringType,
  values: listType(stringType),
})
const selectorType = objectType('kubernetes.LabelSelectorAttributes', {
  rawSelector: stringType,
  requirements: listType(requirementType),
})
const resourceAttributesType = objectType('kubernetes.ResourceAttributes', {
  namespace: stringType,
  verb: stringType,
  group: stringType,
  version: stringType,
  resource: stringType,
  subresource: stringType,
  name: stringType,
  fieldSelector: selectorType,
  labelSelector: selectorType,
})
const requestType = objectType('kubernetes.SubjectAccessReviewSpec', {
  resourceAttributes: resourceAttributesType,
  nonResourceAttributes: objectType('kubernetes.NonResourceAttributes', { path: stringType, verb: stringType }),
  user: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
  uid: stringType,
})

/** Compiles conditions; `problem` is called with the index of each one that does not compile to a bool, and why. */
export function compileMatchConditions(
  expressions: readonly string[],
  problem: (index: number, message: string) => void,
): MatchConditions | undefined {
  if (expressions.length === 0) return undefined
  const environment = createCelEnvironment({ variables: { request: requestType } })
  const conditions: Program[] = []
  for (const [index, expression] of expressions.entries()) {
    const compiled = environment.compile(expression, { result: [boolType] })
    if ('issues' in compiled) problem(index, compiled.issues)
    else conditions.push(compiled.program)
  }
  return (spec, slices) => {
    const context = { request: completed(spec) }
    const replay = new Replay(slices)
    return replay.run(() => holds(conditions, (program) => replay.part((part) => program.start(context, { slices: part }))))
  }
}

const noAttributes = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' }
const noSelector = { key: '', operator: '', values: [] }

/** Adds the fields that CEL expects in every request, with empty values. */
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

function holds(conditions: readonly Program[], evaluate: (program: Program) => Evaluation): Match {
  const errors: string[] = []
  for (const condition of conditions) {
    const { expression } = condition
    const { value, error } = evaluate(condition)
    if (value === false) return false
    if (error !== undefined) errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${error}`)
    else if (value !== true) errors.push(`cel evaluation error: expression '${expression}' eval result type should be bool`)
  }
  return errors.length === 0 ? true : { error: aggregate(errors) }
}
