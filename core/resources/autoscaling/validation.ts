/** Validates autoscalers; those of version 1 are validated in their stored form. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { parseQuantity, quantitySign } from '../../schema/formats/quantity.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateSupported } from '../validation.ts'
import type { HPAScalingPolicy, HPAScalingRules } from './behavior.ts'
import type { HorizontalPodAutoscalerSpec } from './horizontalpodautoscaler.ts'
import { validateMetric } from './metric-validation.ts'
import { type VersionRule, validateReference } from './reference-validation.ts'

type Spec = Infer<typeof HorizontalPodAutoscalerSpec>
type Target = Spec['scaleTargetRef']

/** Seconds. */
const max = { window: 3600, period: 1800 }

export function validateSpec(
  { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior }: Spec,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
  old?: Spec,
): void {
  const { settings } = context
  const min = settings.enabled('HPAScaleToZero') ? 0 : 1
  if (minReplicas !== undefined && minReplicas < min) {
    const refuse = () => errors.invalid(path.child('minReplicas'), minReplicas, `must be greater than or equal to ${min}`)
    if (minReplicas === 0) errors.forgivable('replicas above zero', refuse)
    else refuse()
  }
  if (maxReplicas === 0) errors.required(path.child('maxReplicas'), 'must be set and greater than 0')
  else if (maxReplicas < 0) errors.invalid(path.child('maxReplicas'), maxReplicas, 'must be greater than or equal to 1')
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.invalid(path.child('maxReplicas'), maxReplicas, 'must be greater than or equal to `minReplicas`')
  }
  validateReference(scaleTargetRef, path.child('scaleTargetRef'), errors, versionRule(scaleTargetRef, old?.scaleTargetRef))
  metrics.forEach((metric, index) => {
    validateMetric(metric, path.child('metrics').index(index), errors, context)
  })
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.forbidden(path.child('metrics'), 'must specify at least one Object or External metric to support scaling to zero replicas')
  }
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = behavior?.[direction]
    if (rules) validateRules(rules, path.child('behavior').child(direction), errors)
  }
}

/** Replication controllers are the only scalable objects of the core group; a stored version may stay as it is. */
function versionRule({ kind, apiVersion = '' }: Target, old: Target | undefined): VersionRule {
  if (old && kind === old.kind && apiVersion === (old.apiVersion ?? '')) return 'unchecked'
  return kind === 'ReplicationController' ? 'any' : 'group'
}

function validateRules(rules: Infer<typeof HPAScalingRules>, path: FieldPath, errors: FieldErrors): void {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules
  const at = path.child('stabilizationWindowSeconds')
  if (window !== undefined && window < 0) errors.invalid(at, window, 'must be greater than or equal to zero')
  if (window !== undefined && window > max.window) errors.invalid(at, window, `must be less than or equal to ${max.window}`)
  if (selectPolicy !== undefined) validateSupported(selectPolicy, ['Disabled', 'Max', 'Min'], path.child('selectPolicy'), errors)
  if (policies.length === 0) errors.required(path.child('policies'), 'must specify at least one Policy')
  policies.forEach((policy, index) => {
    validatePolicy(policy, path.child('policies').index(index), errors)
  })
  if (tolerance !== undefined && quantitySign(parseQuantity(tolerance)) < 0) {
    errors.invalid(path.child('tolerance'), tolerance, 'must be greater than or equal to 0')
  }
}

function validatePolicy({ type, value, periodSeconds }: Infer<typeof HPAScalingPolicy>, path: FieldPath, errors: FieldErrors): void {
  validateSupported(type, ['Percent', 'Pods'], path.child('type'), errors)
  if (value <= 0) errors.invalid(path.child('value'), value, 'must be greater than zero')
  if (periodSeconds <= 0) errors.invalid(path.child('periodSeconds'), periodSeconds, 'must be greater than zero')
  if (periodSeconds > max.period) errors.invalid(path.child('periodSeconds'), periodSeconds, `must be less than or equal to ${max.period}`)
}
