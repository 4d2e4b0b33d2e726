import { atomicList, int32, message, pointer, quantity, required, string } from '../../schema/model.ts'
import { defaultBehavior } from './defaults.ts'

export const HPAScalingPolicy = message('HPAScalingPolicy', 'A bound on how fast the scale changes.', () => ({
  type: required(1, string, 'Pods, or Percent of the present scale.', {
    goType: 'v2.HPAScalingPolicyType',
    openEnum: ['Pods', 'Percent'],
  }),
  value: required(2, int32, 'Greatest change within the period.'),
  periodSeconds: required(3, int32, 'Length of the period, up to 1800.'),
}))

export const HPAScalingRules = message('HPAScalingRules', 'How the scale changes in one direction.', () => ({
  stabilizationWindowSeconds: pointer(3, int32, 'Seconds of past recommendations to consider; 0 up and 300 down by default.'),
  selectPolicy: pointer(1, string, 'Which policy counts: Max, Min or Disabled; Max by default.', {
    goType: 'v2.ScalingPolicySelect',
    openEnum: ['Max', 'Min', 'Disabled'],
  }),
  policies: pointer(2, atomicList(HPAScalingPolicy), 'Bounds on the speed.'),
  tolerance: pointer(4, quantity, 'Deviation from the target below which nothing is done; 10% by default.', {
    gate: 'HPAConfigurableTolerance',
  }),
}))

export const HorizontalPodAutoscalerBehavior = message(
  'HorizontalPodAutoscalerBehavior',
  'Rules for scaling up and for scaling down.',
  () => ({
    scaleUp: pointer(1, HPAScalingRules, 'Growing.'),
    scaleDown: pointer(2, HPAScalingRules, 'Shrinking.'),
  }),
).with({ defaults: (behavior) => defaultBehavior(behavior) })
