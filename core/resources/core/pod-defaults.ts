/** Defaults of pods beyond field defaults. */
import { set } from '../../schema/json/members.ts'
import type { Infer } from '../../schema/model.ts'
import type { Container as ContainerSchema } from './container.ts'
import { aggregate } from './pod-requests.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'

type Container = Infer<typeof ContainerSchema>
type PodSpec = Infer<typeof PodSpecSchema>

/** Seconds that stand for negative grace periods. */
const minGrace = 1

/** For pods but not for templates: otherwise stored templates would change with a server's new defaults. */
export function defaultPod({ spec }: { spec?: PodSpec | undefined }): void {
  if (!spec) return
  spec.enableServiceLinks ??= true
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = minGrace
  // A pod without containers, whose list is null, fails validation later.
  if (!spec.containers) return
  const all = [...spec.containers, ...(spec.initContainers ?? [])]
  for (const container of all) requestLimits(container)
  defaultPodResources(spec)
  if (spec.hostNetwork) for (const { ports = [] } of all) for (const port of ports) port.hostPort ||= port.containerPort
}

/** Requests default to limits. */
function requestLimits({ resources }: Container): void {
  if (resources?.limits === undefined) return
  resources.requests ??= {}
  // With thousands of members, spreading is many times slower.
  for (const name in resources.limits)
    if (!Object.hasOwn(resources.requests, name)) set(resources.requests, name, resources.limits[name] as string)
}

const podLevel = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')
const isHugePage = (name: string) => name.startsWith('hugepages-')

/** KEP-2837: requests of the pod default to those of its containers, or to its limits. */
function defaultPodResources({ resources, containers, initContainers = [] }: PodSpec): void {
  if (resources === undefined) return
  const { requests: requested = {}, limits: limited = {} } = resources
  if (Object.keys(requested).length > 0 || Object.keys(limited).length > 0) {
    const isOpen = (name: string) => isHugePage(name) && !Object.hasOwn(requested, name)
    const limits = Object.entries(aggregate(containers, initContainers, 'limits')).filter(([name]) => isOpen(name))
    if (limits.length > 0) resources.limits = { ...Object.fromEntries(limits), ...limited }
  }
  if (Object.keys(resources.limits ?? {}).length === 0) return
  const requests = { ...resources.requests }
  for (const [name, amount] of Object.entries(aggregate(containers, initContainers, 'requests'))) {
    if (podLevel(name) && !isHugePage(name)) requests[name] ??= amount
  }
  for (const [name, limit] of Object.entries(resources.limits ?? {})) if (podLevel(name)) requests[name] ??= limit
  if (Object.keys(requests).length > 0) resources.requests = requests
}
