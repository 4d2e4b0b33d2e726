import type { Platform } from '../../platform.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { field, int32, int64, intOrString, type JsonObject, keyedList, map, message, pointer, string, time } from '../../schema/model.ts'
import { type ApiObject, resource } from '../definition.ts'
import { validateAmount, validateAtMostAll } from '../int-or-percent.ts'
import { Condition } from '../meta/condition.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { asJson, validateCounts } from '../validation.ts'
import { podDisruptionBudgetColumns } from './columns.ts'

export const PodDisruptionBudgetSpec = message('PodDisruptionBudgetSpec', 'How many pods must stay up.', () => ({
  minAvailable: pointer(1, intOrString, 'Pods, or percentage, that must stay available; excludes maxUnavailable.'),
  selector: pointer(2, LabelSelector, 'Pods that the budget speaks about; {} selects all of the namespace.', {
    patchStrategy: 'replace',
  }),
  maxUnavailable: pointer(3, intOrString, 'Pods, or percentage, that may be down; excludes minAvailable.'),
  unhealthyPodEvictionPolicy: pointer(4, string, 'Eviction of pods that are not ready: IfHealthyBudget or AlwaysAllow.', {
    goType: 'v1.UnhealthyPodEvictionPolicyType',
    enum: ['IfHealthyBudget', 'AlwaysAllow'],
  }),
})).with({
  validateFirst(spec, path, errors) {
    const { minAvailable, maxUnavailable } = spec
    if (minAvailable !== undefined && maxUnavailable !== undefined) {
      errors.invalid(path, asJson(spec), 'minAvailable and maxUnavailable cannot be both set')
    }
    for (const [name, amount] of Object.entries({ minAvailable, maxUnavailable })) {
      validateAmount(amount, path.child(name), errors)
      validateAtMostAll(amount, path.child(name), errors)
    }
  },
})

export const PodDisruptionBudgetStatus = message('PodDisruptionBudgetStatus', 'State of a budget.', () => ({
  observedGeneration: field(1, int64, 'Generation of the spec that this status was computed from.'),
  disruptedPods: field(2, map(time), 'Pods whose eviction was granted but not yet observed, with the time.'),
  disruptionsAllowed: field(3, int32, 'Evictions that are possible now.', { omitEmpty: false }),
  currentHealthy: field(4, int32, 'Healthy pods.', { omitEmpty: false }),
  desiredHealthy: field(5, int32, 'Healthy pods that are needed.', { omitEmpty: false }),
  expectedPods: field(6, int32, 'Pods that are counted.', { omitEmpty: false }),
  conditions: keyedList(7, Condition, 'type', 'Latest observations, one per condition type.'),
}))

export const PodDisruptionBudget = object(
  'PodDisruptionBudget',
  'Limits how many pods of a set are evicted at a time.',
  specAndStatus(PodDisruptionBudgetSpec, PodDisruptionBudgetStatus),
)

/** Label of the selectors that stood for all pods and for none in v1beta1. */
const reservedLabel = 'pdb.<labels>/deprecated-v1beta1-empty-selector-match'

/** Takes the reserved label out of selectors that have more than it (the reference, pkg/apis/policy/v1/conversion.go). */
function dropReservedExpressions(object: ApiObject, platform: Platform): void {
  const { selector } = (object['spec'] ?? {}) as { selector?: { matchLabels?: object; matchExpressions?: readonly JsonObject[] } }
  const key = platform.name(reservedLabel)
  const expressions = selector?.matchExpressions ?? []
  if (selector === undefined || !expressions.some((each) => each['key'] === key)) return
  const isAlone = expressions.length === 1 && Object.keys(selector.matchLabels ?? {}).length === 0
  // The selector that stands for none; its values would be refused.
  if (isAlone && expressions[0]?.['operator'] === 'Exists' && expressions[0]['values'] === undefined) return
  const { matchExpressions: _, ...others } = selector
  const kept = expressions.filter((each) => each['key'] !== key)
  object['spec'] = { ...(object['spec'] as JsonObject), selector: { ...others, ...(kept.length > 0 && { matchExpressions: kept }) } }
}

export const podDisruptionBudgets = resource({
  group: 'policy',
  version: 'v1',
  names: ['poddisruptionbudgets', 'poddisruptionbudget', 'pdb'],
  anyFinalizers: true,
  metadataOnUpdate: [],
  nameFormat: 'pathSegment',
  schema: PodDisruptionBudget,
  columns: podDisruptionBudgetColumns,
  lifecycle: { introduced: '1.21' },
  status: true,
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: {
    convertGiven: dropReservedExpressions,
    validateStatus({ status }, _, errors) {
      if (!status) return
      validateCounts(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], FieldPath.of('status'), errors)
      validateConditions(status.conditions, FieldPath.of('status', 'conditions'), errors)
    },
  },
})
