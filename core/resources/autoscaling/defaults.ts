import type { Infer } from '../../schema/model.ts'
import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from './behavior.ts'
import type { HorizontalPodAutoscalerSpec } from './horizontalpodautoscaler.ts'
import type { MetricSpec } from './metrics.ts'

type Rules = Infer<typeof HPAScalingRules>
type Policy = Infer<typeof HPAScalingPolicy>

/** Percent. */
export const usualUtilization = 80

/** Default metric: CPU utilization. */
export const processorMetric = (averageUtilization = usualUtilization): Infer<typeof MetricSpec> => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

const doubled: Policy = { type: 'Percent', value: 100, periodSeconds: 15 }
const upPolicies = (): Policy[] => [{ type: 'Pods', value: 4, periodSeconds: 15 }, { ...doubled }]
const downPolicies = (): Policy[] => [{ ...doubled }]

export function defaultSpec(spec: Infer<typeof HorizontalPodAutoscalerSpec>): void {
  spec.minReplicas ??= 1
  if (!spec.metrics?.length) spec.metrics = [processorMetric()]
}

/** Defaults of scaling behavior; the stabilization window for scaling down is left to the controller. */
export function defaultBehavior(behavior: Infer<typeof HorizontalPodAutoscalerBehavior>): void {
  const up: Rules = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: upPolicies() }
  const down: Rules = { selectPolicy: 'Max', policies: downPolicies() }
  behavior.scaleUp = { ...up, ...behavior.scaleUp }
  behavior.scaleDown = { ...down, ...behavior.scaleDown }
}
