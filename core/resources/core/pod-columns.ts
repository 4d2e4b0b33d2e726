import { ageColumn, elapsed, isTrue, nameColumn, none, ratio, textColumn, wide } from '../cells.ts'
import type { CellContext } from '../definition.ts'
import { type PodRow, type PodSummary, summarize } from './pod-status-columns.ts'

function readiness(pod: PodRow): string {
  const gates = pod.spec?.readinessGates ?? []
  if (gates.length === 0) return none
  return ratio(gates.filter(({ conditionType }) => isTrue(pod.status?.conditions, conditionType)).length, gates.length)
}

function restartsText({ restarts, restartedAt }: PodSummary, context: CellContext): string {
  return restarts === 0 || restartedAt === 0 ? String(restarts) : `${restarts} (${elapsed(restartedAt, context)} ago)`
}

function address(pod: PodRow): string {
  return pod.status?.podIPs?.[0]?.ip || none
}

export const podColumns = [
  nameColumn,
  textColumn<PodRow>('Ready', 'Containers that are ready, out of all.', (pod) => {
    const { ready, total } = summarize(pod)
    return ratio(ready, total)
  }),
  textColumn<PodRow>('Status', 'State of its containers.', (pod) => summarize(pod).status),
  textColumn<PodRow>('Restarts', 'How often its containers were restarted, and when last.', (pod, context) =>
    restartsText(summarize(pod), context),
  ),
  ageColumn,
  wide(textColumn('IP', 'Address of the pod.', address)),
  wide(textColumn('Node', 'Node that the pod is bound to.', '.spec.nodeName', none)),
  wide(textColumn('Nominated Node', 'Node where others are preempted for the pod.', '.status.nominatedNodeName', none)),
  wide(textColumn('Readiness Gates', 'Fulfilled readiness gates, out of all.', readiness)),
]
