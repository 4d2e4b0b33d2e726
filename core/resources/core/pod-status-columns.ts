import type { Infer } from '../../schema/model.ts'
import { conditionOf, isTrue } from '../cells.ts'
import type { ContainerStateTerminated, ContainerStatus } from './container-status.ts'
import type { Pod } from './pod.ts'

type Status = Infer<typeof ContainerStatus>

/** Pod fields for the columns. */
export type PodRow = Infer<typeof Pod>

/** Summary of a pod for its row. */
export interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  /** Time of the last restart in milliseconds since the epoch; 0: unknown. */
  readonly restartedAt: number
}

/** Number of restarts, and the time of the last one. */
interface Restarts {
  count: number
  at: number
}

function add(restarts: Restarts, { restartCount = 0, lastState }: Status): void {
  restarts.count += restartCount
  const finished = lastState?.terminated?.finishedAt
  if (finished) restarts.at = Math.max(restarts.at, Date.parse(finished))
}

function ending({ reason, signal = 0, exitCode = 0 }: Infer<typeof ContainerStateTerminated>): string {
  return reason || (signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`)
}

/** Init containers up to the first that blocks; `holdUp` is the reason, absent when all have finished. */
function initialization({ spec, status }: PodRow) {
  const containers = spec?.initContainers ?? []
  const sidecars = new Set(containers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name))
  const all: Restarts = { count: 0, at: 0 }
  const ofSidecars: Restarts = { count: 0, at: 0 }
  let ready = 0
  let holdUp: string | undefined
  for (const [index, each] of (status?.initContainerStatuses ?? []).entries()) {
    add(all, each)
    if (sidecars.has(each.name)) add(ofSidecars, each)
    const { terminated, waiting } = each.state ?? {}
    if (terminated && (terminated.exitCode ?? 0) === 0) continue
    if (sidecars.has(each.name) && each.started) {
      if (each.ready) ready++
      continue
    }
    if (terminated) holdUp = `Init:${ending(terminated)}`
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') holdUp = `Init:${waiting.reason}`
    else holdUp = `Init:${index}/${containers.length}`
    break
  }
  return { ready, sidecars: sidecars.size, all, ofSidecars, holdUp }
}

/** Main containers. The first container with a reason wins, and failures take precedence over successes. */
function execution({ status }: PodRow, before: string, restarts: Restarts) {
  let reason = before
  let failure = ''
  let ready = 0
  for (const each of [...(status?.containerStatuses ?? [])].reverse()) {
    add(restarts, each)
    const { waiting, terminated, running } = each.state ?? {}
    if (waiting?.reason) reason = waiting.reason
    else if (terminated) {
      reason = ending(terminated)
      if ((terminated.exitCode ?? 0) !== 0) failure = reason
    } else if (each.ready && running) ready++
  }
  if (reason === 'Completed') {
    if (ready > 0 && isTrue(status?.conditions, 'Ready')) reason = 'Running'
    else if (failure !== '') reason = failure
    else if (ready > 0) reason = 'NotReady'
  }
  return { reason, ready }
}

/** Readiness, state and restarts of a pod, from its containers. */
export function summarize(pod: PodRow): PodSummary {
  const { phase = '', reason, conditions } = pod.status ?? {}
  const start = initialization(pod)
  let status = reason || phase
  if (conditions?.some((each) => each.type === 'PodScheduled' && each.reason === 'SchedulingGated')) status = 'SchedulingGated'
  status = start.holdUp ?? status
  let { ready, all: restarts } = start
  if (start.holdUp === undefined || conditionOf(conditions, 'Initialized')?.status === 'True') {
    restarts = { ...start.ofSidecars }
    const main = execution(pod, status, restarts)
    status = main.reason
    ready += main.ready
  }
  if (pod.metadata?.deletionTimestamp) {
    if (reason === 'NodeLost') status = 'Unknown'
    else if (phase !== 'Succeeded' && phase !== 'Failed') status = 'Terminating'
  }
  const total = (pod.spec?.containers?.length ?? 0) + start.sidecars
  return { ready, total, status, restarts: restarts.count, restartedAt: restarts.at }
}
