import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import type { ContainerStatus as ContainerStatusMessage } from '../../resources/core/container-status.ts'
import type { Pod } from '../../resources/core/pod.ts'
import { qosClassOf } from '../../resources/core/qos.ts'
import { greater } from '../../resources/core/quantities.ts'
import { isExtended, isHugePages, isNative } from '../../resources/core/resource-validation.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import { type Container, podAmounts, type PodSpec as Sizes } from '../plugins/pod-amounts.ts'
import { type Amounts, positive, sum } from './amounts.ts'
import { countName, type Evaluator } from './evaluator.ts'
import { type ScopeRequirement, satisfies } from './quota.ts'

type ContainerStatus = Infer<typeof ContainerStatusMessage>

type PodSpec = NonNullable<Infer<typeof Pod>['spec']>

const specOf = (pod: ApiObject): Partial<PodSpec> => pod['spec'] ?? {}
const statusOf = (pod: ApiObject) => (pod['status'] ?? {}) as NonNullable<Infer<typeof Pod>['status']>

const count = countName({ group: '', resource: 'pods' })
const measured = ['cpu', 'memory', 'ephemeral-storage']
const names = [count, 'pods', ...measured, ...measured.map((name) => `requests.${name}`), ...measured.map((name) => `limits.${name}`)]
/** A quota of these requires containers to specify them (a historic behaviour that is kept, but not extended to other resources). */
const demanded = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

const larger = (a: Amounts, b: Amounts): Amounts => {
  const both = { ...a, ...b }
  return Object.fromEntries(Object.keys(both).map((name) => [name, greater(a[name] ?? '0', b[name] ?? '0')]))
}

/** Containers with resources allocated on the node if these are larger, as after a resize to less. */
function effective(containers: readonly Container[] | null | undefined, statuses: readonly ContainerStatus[] | null | undefined) {
  const byName = new Map((statuses ?? []).map((status) => [status.name, status]))
  return (containers ?? []).map((container): Container => {
    const status = byName.get(container.name)
    if (status === undefined) return container
    const { requests = {}, limits = {} } = container.resources ?? {}
    const has = status.resources ?? {}
    return {
      ...container,
      resources: {
        requests: larger(larger(requests, has.requests ?? {}), status.allocatedResources ?? {}),
        limits: larger(limits, has.limits ?? {}),
      },
    }
  })
}

const isTerminating = (pod: ApiObject) => (specOf(pod).activeDeadlineSeconds ?? -1) >= 0
const isBestEffort = (pod: ApiObject) => qosClassOf(specOf(pod) as Parameters<typeof qosClassOf>[0]) === 'BestEffort'

/** Whether affinity terms refer to other namespaces. */
function looksAcross(pod: ApiObject): boolean {
  const { podAffinity, podAntiAffinity } = specOf(pod).affinity ?? {}
  const terms = [podAffinity, podAntiAffinity].flatMap((each) => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm ?? {}),
  ])
  return terms.some(({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector != null)
}

const scopes: { readonly [name: string]: (pod: ApiObject, scope: ScopeRequirement) => boolean } = {
  Terminating: isTerminating,
  NotTerminating: (pod) => !isTerminating(pod),
  BestEffort: isBestEffort,
  NotBestEffort: (pod) => !isBestEffort(pod),
  PriorityClass: (pod, scope) => satisfies(scope, specOf(pod).priorityClassName || undefined),
  CrossNamespacePodAffinity: looksAcross,
}

/** `podLevel`: whether pod-level resources are enabled. */
export function createPodEvaluator({ platform, clock, podLevel }: { platform: Platform; clock: Clock; podLevel: boolean }) {
  const devices = platform.name('deviceclass.resource.<labels>/')
  const isDevice = (name: string) => isExtended(name, { platform }) || name.startsWith(devices)
  const isDeviceQuota = (name: string) =>
    name.startsWith('requests.') && (!isNative(name, { platform }) || name.startsWith(`requests.${devices}`))

  /** Requests and limits by quota resource names. */
  function named(requests: Amounts, limits: Amounts): Amounts {
    const result: { [name: string]: string } = { pods: '1' }
    for (const [name, amount] of Object.entries(requests)) {
      if (measured.includes(name) || isHugePages(name)) result[name] = amount
      if (measured.includes(name) || isHugePages(name) || isDevice(name)) result[`requests.${name}`] = amount
    }
    for (const name of measured) if (limits[name] !== undefined) result[`limits.${name}`] = limits[name]
    return result
  }

  /** Whether the pod still counts: not finished, and not past its grace period (it may be on a lost node). */
  function isLive(pod: ApiObject): boolean {
    const { phase } = statusOf(pod)
    if (phase === 'Failed' || phase === 'Succeeded') return false
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
    if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true
    return clock.now() <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
  }

  function sizes(pod: ApiObject): { readonly requests: Amounts; readonly limits: Amounts } {
    const { containers, initContainers, resources, overhead } = specOf(pod)
    const { containerStatuses, initContainerStatuses } = statusOf(pod)
    const spec: Sizes = {
      containers: effective(containers, containerStatuses),
      initContainers: effective(initContainers, initContainerStatuses),
      ...(podLevel && resources && { resources }),
    }
    const [requests, limits] = [podAmounts(spec, 'requests'), podAmounts(spec, 'limits')]
    const onLimits = Object.fromEntries(Object.entries(overhead ?? {}).filter(([name]) => positive(limits)[name] !== undefined))
    return { requests: sum(requests, overhead ?? {}), limits: sum(limits, onLimits) }
  }

  function usage(pod: ApiObject): Amounts {
    if (!isLive(pod)) return { [count]: '1' }
    const { requests, limits } = sizes(pod)
    return { [count]: '1', ...named(requests, limits) }
  }

  /** `must specify cpu for: a,b; memory for: b` */
  function missing(required: readonly string[], pod: ApiObject): string | undefined {
    const { containers, initContainers, resources } = specOf(pod)
    if (podLevel && Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0) return undefined
    const all = [...(containers ?? []), ...(initContainers ?? [])]
    const said = all.map(({ name, resources: own }) => ({ name, amounts: named(own?.requests ?? {}, own?.limits ?? {}) }))
    const parts = required
      .filter((name) => demanded.includes(name))
      .sort()
      .flatMap((resource) => {
        const silent = said.filter(({ amounts }) => amounts[resource] === undefined).map(({ name }) => name)
        return silent.length > 0 ? [`${resource} for: ${[...new Set(silent)].sort().join(',')}`] : []
      })
    return parts.length > 0 ? `must specify ${parts.join('; ')}` : undefined
  }

  return {
    handles({ operation, subresource, object, oldObject }) {
      if (subresource === 'resize') return operation === 'UPDATE'
      if (subresource !== '') return false
      const moved = object !== undefined && oldObject !== undefined && isTerminating(object) !== isTerminating(oldObject)
      return operation === 'CREATE' || (operation === 'UPDATE' && moved)
    },
    counts: (name: string) => names.includes(name) || isHugePages(name.replace(/^requests\./, '')) || isDeviceQuota(name),
    usage,
    inScope: (scope: ScopeRequirement, pod: ApiObject) => scopes[scope.scopeName]?.(pod, scope) ?? false,
    missing,
  } satisfies Evaluator
}
