/** Validation of specs of deployments and replica sets, in the reference's order. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { parsedInt64 } from '../../schema/go/parse-int.ts'
import { exactInteger } from '../../schema/json/text.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { amountOf, validateAmount, validateAtMostAll } from '../int-or-percent.ts'
import { isEmptySelector } from '../meta/selector-match.ts'
import { asJson, validateNonNegative } from '../validation.ts'
import type { DeploymentSpec, DeploymentStrategy, RollingUpdateDeployment } from './deployment.ts'
import type { ReplicaSetSpec } from './replicaset.ts'
import { validateLabels, validateLasting, validateRequiredSelector, validateTemplate } from './workload-validation.ts'

type Spec = Infer<typeof DeploymentSpec>

/** Errors of both kinds say `deployment` about selectors, and `ReplicaSet` about templates. */
function validatePods(
  { selector, template }: Pick<Spec, 'selector' | 'template'>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const words = { kind: 'deployment', malformed: 'invalid label selector' }
  if (!validateRequiredSelector(selector, words, path.child('selector'), errors, context)) return
  const at = path.child('template')
  if (!selector || !isEmptySelector(selector)) validateLabels(selector, template, at, errors)
  validateTemplate(template, at, errors, context)
  validateLasting(template, 'ReplicaSet', at, errors)
}

export function validateReplicaSetSpec(
  spec: Infer<typeof ReplicaSetSpec>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  validateNonNegative(spec.replicas, path.child('replicas'), errors)
  validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors)
  validatePods({ selector: spec.selector, template: spec.template ?? {} }, path, errors, context)
}

/** `rollback`: the revision to roll back to, a former spec field; errors call it by its name there. */
export function validateDeploymentSpec(
  spec: Spec,
  rollback: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec
  validateNonNegative(spec.replicas, path.child('replicas'), errors)
  validatePods(spec, path, errors, context)
  validateStrategy(spec.strategy ?? {}, path.child('strategy'), errors)
  validateNonNegative(minReadySeconds, path.child('minReadySeconds'), errors)
  validateNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors)
  const revision = parsedInt64(rollback ?? '')
  if (revision !== undefined) validateNonNegative(exactInteger(revision) as number, path.child('rollback').child('version'), errors)
  if (deadline === undefined) return
  const at = path.child('progressDeadlineSeconds')
  validateNonNegative(deadline, at, errors)
  if (deadline <= minReadySeconds) errors.invalid(at, deadline, 'must be greater than minReadySeconds')
}

function validateStrategy(strategy: Infer<typeof DeploymentStrategy>, path: FieldPath, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy
  const at = path.child('rollingUpdate')
  if (type === 'RollingUpdate') validateRollingUpdate(rollingUpdate ?? {}, at, errors)
  else if (type !== 'Recreate') errors.notSupported(path, asJson(strategy), ['Recreate', 'RollingUpdate'])
  else if (rollingUpdate !== undefined) errors.forbidden(at, "may not be specified when strategy `type` is 'Recreate'")
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: Infer<typeof RollingUpdateDeployment>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('maxUnavailable')
  validateAmount(maxUnavailable, at, errors)
  validateAmount(maxSurge, path.child('maxSurge'), errors)
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) errors.invalid(at, maxUnavailable, 'may not be 0 when `maxSurge` is 0')
  validateAtMostAll(maxUnavailable, at, errors)
}
