/** Helpers for actions on pods. */

import { ownRequest, type WriteRequest } from '../../objects/registry/request.ts'
import { strategyView, type View } from '../../objects/registry/view.ts'
import type { PodSpec } from '../../resources/core/pod-spec.ts'
import type { PodCondition, PodStatus } from '../../resources/core/pod-status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { hookContext } from '../../schema/cluster.ts'
import { timestamp } from '../../schema/formats/time.ts'
import type { Infer } from '../../schema/model.ts'
import type { Target, WriteServices } from '../services.ts'

export type Condition = Infer<typeof PodCondition>

type Status = Infer<typeof PodStatus>

type Spec = Infer<typeof PodSpec>

export const specOf = (pod: ApiObject) => pod['spec'] as Spec
export const statusOf = (pod: ApiObject) => (pod['status'] ?? {}) as Status
export const conditionOf = (pod: ApiObject, type: string) => statusOf(pod).conditions?.find((condition) => condition.type === type)

/** Adds or replaces a condition; the transition time changes only with the status. */
export function withCondition(pod: ApiObject, condition: Condition, now: number): readonly Condition[] {
  const old = conditionOf(pod, condition.type)
  const lastTransitionTime = old?.status === condition.status && old.lastTransitionTime ? old.lastTransitionTime : timestamp(now)
  const stamped = { ...condition, lastTransitionTime }
  const conditions = statusOf(pod).conditions ?? []
  return old ? conditions.map((each) => (each === old ? stamped : each)) : [...conditions, stamped]
}

/** View for the server's own updates: any field may change. */
export const unrestrictedView: View = strategyView({ write: (_existing, incoming) => incoming })

/** A write caused by an action; admission has run on the action. */
export function actionRequest(writes: WriteServices, { exchange }: Target, dryRun: boolean): WriteRequest {
  return {
    ...ownRequest(hookContext(writes)),
    dryRun,
    caller: exchange,
    proceed: () => exchange.proceed(),
    warn: (text) => exchange.warnings.push(text),
  }
}
