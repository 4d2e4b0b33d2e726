/** Warnings about existing pods that violate a new policy of their namespace, within limits. */
import type { Clock } from '../../../ports.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import { specOf } from '../about.ts'
import { type Evaluate, reasonsOf } from './controls.ts'
import type { PodSpec } from './pod.ts'
import { type LevelVersion, textOf } from './policy.ts'

const maxPods = 3000
/** Maximum milliseconds. */
const maxMilliseconds = 1000

/** Pods of distinct controllers first, because pods of one controller are alike. */
function prioritized(pods: readonly ApiObject[]): readonly ApiObject[] {
  const seen = new Set<string>()
  const [first, others]: [ApiObject[], ApiObject[]] = [[], []]
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)
    if (owner && seen.has(owner.uid)) others.push(pod)
    else first.push(pod)
    if (owner) seen.add(owner.uid)
  }
  return [...first, ...others]
}

function named(names: readonly string[]): string {
  const [first = '', ...others] = [...names].sort()
  if (others.length === 0) return first
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`
}

export function warningsFor(
  namespace: string,
  pods: readonly ApiObject[],
  policy: LevelVersion,
  evaluate: Evaluate,
  clock: Clock,
): string[] {
  const until = clock.monotonic() + maxMilliseconds
  const some = prioritized(pods).slice(0, maxPods)
  const names = new Map<string, string[]>()
  let checked = 0
  for (const pod of some) {
    const violations = evaluate(policy, { annotations: pod.metadata.annotations ?? {}, spec: specOf<PodSpec>(pod) })
    const reasons = reasonsOf(violations)
    if (violations.length > 0) names.set(reasons, [...(names.get(reasons) ?? []), pod.metadata.name ?? ''])
    checked++
    if (clock.monotonic() >= until) break
  }
  const [first, all] = [checked, pods.length]
  return [
    ...(first < all ? [`new PodSecurity enforce level only checked against the first ${first} of ${all} existing pods`] : []),
    ...(names.size > 0 ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${textOf(policy)}"`] : []),
    ...[...names].map(([reasons, each]) => `${named(each)}: ${reasons}`).sort(),
  ]
}
