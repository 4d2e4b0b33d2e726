import { type GroupResource, qualified } from '../../answers/status.ts'
import type { PluginContext } from '../context.ts'
import { deviceClaimEvaluator } from './device-claims.ts'
import { countEvaluator, type Evaluator } from './evaluator.ts'
import { createPodEvaluator } from './pods.ts'
import { serviceEvaluator } from './services.ts'
import { volumeClaimEvaluator } from './volume-claims.ts'

export type EvaluatorContext = Pick<PluginContext, 'platform' | 'clock' | 'find' | 'enabled'>

/** Selects the evaluator of a resource; default: counts objects. */
export function createEvaluators(context: EvaluatorContext): (groupResource: GroupResource) => Evaluator {
  const { platform, enabled } = context
  const pods = createPodEvaluator({ ...context, podLevel: enabled('PodLevelResources') })
  const special = new Map<string, Evaluator>([
    ['pods', pods],
    ['services', serviceEvaluator],
    ['persistentvolumeclaims', volumeClaimEvaluator(platform)],
    [platform.name('resourceclaims.resource.<domain>'), deviceClaimEvaluator(context, pods.usage)],
  ])
  return (on) => special.get(qualified(on)) ?? countEvaluator(on)
}
