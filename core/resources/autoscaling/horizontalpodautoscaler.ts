import { FieldPath } from '../../schema/field-path.ts'
import { atomicList, field, int32, int64, keyedList, message, pointer, required, string, time } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object } from '../meta/object.ts'
import { validateCounts } from '../validation.ts'
import { HorizontalPodAutoscalerBehavior } from './behavior.ts'
import { horizontalPodAutoscalerColumns } from './columns.ts'
import { defaultSpec } from './defaults.ts'
import { dropFieldAnnotations } from './field-annotations.ts'
import { CrossVersionObjectReference, MetricSpec } from './metrics.ts'
import { MetricStatus } from './metrics-status.ts'
import { validateSpec } from './validation.ts'

export const HorizontalPodAutoscalerSpec = message('HorizontalPodAutoscalerSpec', 'The scaled object and its metrics.', () => ({
  scaleTargetRef: required(1, CrossVersionObjectReference, 'Object with a scale subresource.'),
  minReplicas: pointer(2, int32, 'Lower bound; 1 by default.'),
  maxReplicas: required(3, int32, 'Upper bound.'),
  metrics: field(4, atomicList(MetricSpec), 'Metrics to follow; the greatest result wins.'),
  behavior: pointer(5, HorizontalPodAutoscalerBehavior, 'How the scale changes in each direction.'),
})).with({ defaults: (spec) => defaultSpec(spec) })

export const HorizontalPodAutoscalerCondition = message('HorizontalPodAutoscalerCondition', 'An observation about an autoscaler.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v2.HorizontalPodAutoscalerConditionType',
    openEnum: ['ScalingActive', 'AbleToScale', 'ScalingLimited', 'ScaledToZero'],
  }),
  ...conditionFields,
}))

export const HorizontalPodAutoscalerStatus = message('HorizontalPodAutoscalerStatus', 'State of an autoscaler.', () => ({
  observedGeneration: pointer(1, int64, 'Generation of the spec that this status was computed from.'),
  lastScaleTime: pointer(2, time, 'When the scale was last changed.'),
  currentReplicas: field(3, int32, 'Number of pods when last observed.'),
  desiredReplicas: required(4, int32, 'Pods that were found to be needed.'),
  currentMetrics: field(5, atomicList(MetricStatus), 'Metrics when last observed.', { omitEmpty: false }),
  conditions: keyedList(6, HorizontalPodAutoscalerCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const HorizontalPodAutoscaler = object('HorizontalPodAutoscaler', 'Scales an object by metrics.', () => ({
  spec: required(2, HorizontalPodAutoscalerSpec, 'Desired state.', { omitEmpty: true }),
  status: field(3, HorizontalPodAutoscalerStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const horizontalPodAutoscalers = resource({
  group: 'autoscaling',
  version: 'v2',
  names: ['horizontalpodautoscalers', 'horizontalpodautoscaler', 'hpa'],
  categories: ['all'],
  schema: HorizontalPodAutoscaler,
  columns: horizontalPodAutoscalerColumns(),
  lifecycle: { introduced: '1.23' },
  status: true,
  strategy: {
    convertGiven: dropFieldAnnotations,
    validate: ({ spec }, errors, context, old) => validateSpec(spec, FieldPath.of('spec'), errors, context, old?.spec),
    validateStatus({ status }, _, errors) {
      if (status) validateCounts(status, ['currentReplicas', 'desiredReplicas'], FieldPath.of('status'), errors)
    },
  },
})
