/** Computes the status of a definition (reference: pkg/controller/status, establish, nonstructuralschema, apiapproval). */
import { approvalOf, isProtected } from '../../resources/apiextensions/approval-validation.ts'
import { bundleProblem } from '../../resources/apiextensions/ca-bundle.ts'
import { structuralProblems } from '../../resources/apiextensions/structural-problems.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Json } from '../../schema/model.ts'
import type { Definition, Observation, Status } from './definition.ts'
import { conditionOf, isTrue, matchesObservation, sameNames, withCondition } from './definition.ts'
import { decideNames, type TakenNames } from './names.ts'

/** The reference server delays this condition until other servers serve the resource. Here it is served before the condition is written. */
function established(definition: Definition, accepted: boolean): Observation | undefined {
  const message = 'the initial names have been accepted'
  const type = 'Established'
  if (isTrue(definition, type)) return undefined
  const bundle = definition.spec.conversion?.webhook?.clientConfig?.caBundle ?? ''
  if (accepted && bundleProblem(bundle) !== undefined)
    return { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' }
  if (accepted) return { type, status: 'True', reason: 'InitialNamesAccepted', message }
  return conditionOf(definition, type) ? undefined : { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

function conformant({ spec, metadata }: Definition, context: HookContext): Observation | undefined {
  if (!isProtected(spec.group, context.platform)) return undefined
  const { status, reason, message } = approvalOf(metadata?.annotations, context.platform)
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }
}

function nonStructural(definition: Definition): Observation | undefined {
  const problems = structuralProblems(definition)
  if (problems.length === 0) return undefined
  const message = problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message }
}

/** The next status; undefined when it is current. `schemas`: also check the schemas, which is expensive. */
export function nextStatus(definition: Definition, taken: TakenNames, schemas: boolean, context: HookContext): Status | undefined {
  const { status = {} } = definition
  const settled = sameNames(definition.spec.names, status.acceptedNames) && isTrue(definition, 'NamesAccepted')
  const decision = settled ? undefined : decideNames(definition, taken)
  const structure = schemas ? nonStructural(definition) : undefined
  let conditions = [...(status.conditions ?? [])]
  if (schemas && !structure) conditions = conditions.filter(({ type }) => type !== 'NonStructuralSchema')
  const observations = [
    decision?.accepted,
    established(definition, settled || decision?.accepted.status === 'True'),
    structure,
    conformant(definition, context),
  ]
  for (const each of observations) {
    if (
      each &&
      !matchesObservation(
        conditions.find(({ type }) => type === each.type),
        each,
      )
    )
      conditions = withCondition(conditions, each, context.now)
  }
  const acceptedNames = (decision?.names ?? status.acceptedNames ?? {}) as Status['acceptedNames']
  const same =
    sameNames(acceptedNames, status.acceptedNames) && equal(conditions as unknown as Json, (status.conditions ?? []) as unknown as Json)
  return same ? undefined : { ...status, acceptedNames, conditions }
}
