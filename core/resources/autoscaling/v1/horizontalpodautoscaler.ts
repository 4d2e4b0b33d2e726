import { field, int32, int64, message, pointer, required, time } from '../../../schema/model.ts'
import { type ApiObject, resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { horizontalPodAutoscalerColumns } from '../columns.ts'
import { fieldAnnotations } from '../field-annotations.ts'
import { conversion, defaultTarget, storedOf } from './conversion.ts'
import { CrossVersionObjectReference } from './metrics.ts'

export const HorizontalPodAutoscalerSpec = message('HorizontalPodAutoscalerSpec', 'What is scaled by processor use.', () => ({
  scaleTargetRef: required(1, CrossVersionObjectReference, 'Object with a scale subresource.'),
  minReplicas: pointer(2, int32, 'Lower bound; 1 by default.'),
  maxReplicas: required(3, int32, 'Upper bound.'),
  targetCPUUtilizationPercentage: pointer(4, int32, "Target processor use, in percent of the pods' requests."),
})).with({
  defaults(spec) {
    spec.minReplicas ??= 1
  },
})

export const HorizontalPodAutoscalerStatus = message('HorizontalPodAutoscalerStatus', 'State of an autoscaler.', () => ({
  observedGeneration: pointer(1, int64, 'Generation of the spec that this status was computed from.'),
  lastScaleTime: pointer(2, time, 'When the scale was last changed.'),
  currentReplicas: required(3, int32, 'Number of pods when last observed.'),
  desiredReplicas: required(4, int32, 'Pods that were found to be needed.'),
  currentCPUUtilizationPercentage: pointer(5, int32, "Processor use when last observed, in percent of the pods' requests."),
}))

export const HorizontalPodAutoscaler = object('HorizontalPodAutoscaler', 'Scales an object by processor use.', () => ({
  spec: required(2, HorizontalPodAutoscalerSpec, 'Desired state.', { omitEmpty: true }),
  status: field(3, HorizontalPodAutoscalerStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const horizontalPodAutoscalers = resource({
  group: 'autoscaling',
  version: 'v1',
  names: ['horizontalpodautoscalers', 'horizontalpodautoscaler', 'hpa'],
  categories: ['all'],
  schema: HorizontalPodAutoscaler,
  columns: horizontalPodAutoscalerColumns(storedOf),
  storageVersion: 'autoscaling/v2',
  conversion,
  fieldAnnotations,
  lifecycle: { introduced: '1.2' },
  status: true,
  strategy: {
    defaults: (autoscaler, { platform }) => defaultTarget(autoscaler as unknown as ApiObject, platform),
  },
})
