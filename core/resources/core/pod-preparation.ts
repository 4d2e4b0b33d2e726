/** Fields of new pods that the server sets. */

import { timestamp } from '../../schema/formats/time.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import type { PodAffinityTerm } from './affinity.ts'
import { takeAppArmorAnnotations } from './app-armor.ts'
import type { Pod } from './pod.ts'
import type { PodSpec } from './pod-spec-validation.ts'
import { qosClassOf } from './qos.ts'

type PodLike = Infer<typeof Pod>

type KeyedTerm = Pick<Infer<typeof PodAffinityTerm>, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>

export function preparePod(pod: PodLike, context: HookContext): void {
  const { spec, metadata, status } = pod
  if (!spec) return
  // Of a given status only the class counts, as in the reference.
  pod.status = { phase: 'Pending', qosClass: status?.qosClass || qosClassOf(spec) }
  if (spec.schedulingGates?.length) {
    const message = 'Scheduling is blocked due to non-empty scheduling gates'
    const lastTransitionTime = timestamp(context.now)
    pod.status.conditions = [{ type: 'PodScheduled', status: 'False', lastTransitionTime, reason: 'SchedulingGated', message }]
  }
  for (const term of keyedTerms(spec, context)) selectByOwnLabels(term, metadata?.labels ?? {})
  takeAppArmorAnnotations(spec, metadata?.annotations, context)
}

/** Keeps the QoS class and observed generations when older clients omit them. */
export function keepReported({ status }: PodLike, { status: old }: PodLike): void {
  if (!status || !old) return
  if (old.qosClass) status.qosClass ||= old.qosClass
  if (old.observedGeneration) status.observedGeneration ||= old.observedGeneration
  // Several conditions may have the same type: they are matched in order.
  const generations = new Map<string, (number | undefined)[]>()
  for (const { type, observedGeneration } of old.conditions ?? []) {
    const known = generations.get(type)
    if (known) known.push(observedGeneration)
    else generations.set(type, [observedGeneration])
  }
  for (const condition of status.conditions ?? []) {
    const before = generations.get(condition.type)?.shift()
    if (before) condition.observedGeneration ||= before
  }
}

function keyedTerms({ affinity, topologySpreadConstraints = [] }: PodSpec, { settings }: HookContext): KeyedTerm[] {
  const rules = [affinity?.podAffinity, affinity?.podAntiAffinity]
  const terms = rules.flatMap((each) => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  const merges = settings.enabled('MatchLabelKeysInPodTopologySpread') && settings.enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')
  return merges ? [...terms, ...topologySpreadConstraints] : terms
}

/** Converts matchLabelKeys and mismatchLabelKeys to requirements of the selector (KEP-3633). */
function selectByOwnLabels({ labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: KeyedTerm, labels: { [key: string]: string }) {
  if (!labelSelector) return
  const requirements = (keys: readonly string[], operator: 'In' | 'NotIn') =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]))
  const added = [...requirements(matchLabelKeys, 'In'), ...requirements(mismatchLabelKeys, 'NotIn')]
  if (added.length > 0) labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added]
}
