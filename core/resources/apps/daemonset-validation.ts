/** Validation of specs of daemon sets, in the reference's order. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { amountOf, validateAmount, validateAtMostAll } from '../int-or-percent.ts'
import { asJson, validateNonNegative } from '../validation.ts'
import type { DaemonSetSpec, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from './daemonset.ts'
import { validateLabels, validateLasting, validateNotEmpty, validateSelectorParts, validateTemplate } from './workload-validation.ts'

export function validateDaemonSetSpec(spec: Infer<typeof DaemonSetSpec>, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { selector, template } = spec
  const at = path.child('template')
  if (validateSelectorParts(selector, path.child('selector'), errors, context)) validateLabels(selector, template, at, errors)
  validateNotEmpty(selector, 'daemonset', path.child('selector'), errors)
  validateTemplate(template, at, errors, context)
  validateLasting(template, 'DaemonSet', at, errors)
  validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors)
  validateUpdateStrategy(spec.updateStrategy ?? {}, path.child('updateStrategy'), errors)
  validateNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors)
}

function validateUpdateStrategy(strategy: Infer<typeof DaemonSetUpdateStrategy>, path: FieldPath, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy
  if (type === 'RollingUpdate') validateRollingUpdate(rollingUpdate ?? {}, path.child('rollingUpdate'), errors)
  else if (type !== 'OnDelete') errors.notSupported(path, asJson(strategy), ['RollingUpdate', 'OnDelete'])
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: Infer<typeof RollingUpdateDaemonSet>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const unavailableAt = path.child('maxUnavailable')
  const surgeAt = path.child('maxSurge')
  validateAmount(maxUnavailable, unavailableAt, errors)
  validateAmount(maxSurge, surgeAt, errors)
  validateAtMostAll(maxUnavailable, unavailableAt, errors)
  validateAtMostAll(maxSurge, surgeAt, errors)
  const unavailable = amountOf(maxUnavailable) !== 0
  const surge = amountOf(maxSurge) !== 0
  if (unavailable && surge) errors.invalid(surgeAt, maxSurge, 'may not be set when maxUnavailable is non-zero')
  if (!unavailable && !surge) errors.required(unavailableAt, 'cannot be 0 when maxSurge is 0')
}
