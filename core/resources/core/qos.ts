/** Quality-of-service class of a pod, which determines the order of eviction. */
import type { Infer } from '../../schema/model.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import { accumulate, add, compare, type ResourceList, signOf } from './quantities.ts'

type QOSClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const counted = ['cpu', 'memory']

function positive(amounts: ResourceList = {}): ResourceList {
  const own: { [name: string]: string } = {}
  for (const name of counted) {
    const amount = amounts[name]
    if (amount !== undefined && signOf(amount) > 0) own[name] = amount
  }
  return own
}

/**
 * Guaranteed: every container (or the pod) has limits for CPU and memory and equal requests. BestEffort: none has requests or
 * limits. Otherwise Burstable.
 */
export function qosClassOf({ containers, initContainers = [], resources }: Infer<typeof PodSpecSchema>): QOSClass {
  const podLevel = Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0
  const parts = podLevel ? [resources] : [...(containers ?? []), ...initContainers].map((container) => container.resources)
  const limited = parts.map((part) => positive(part?.limits))
  const requested = parts.map((part) => positive(part?.requests))
  if ([...limited, ...requested].every((amounts) => Object.keys(amounts).length === 0)) return 'BestEffort'
  if (!limited.every((own) => counted.every((name) => own[name] !== undefined))) return 'Burstable'
  const sum = (lists: readonly ResourceList[]) => lists.reduce<ResourceList>((all, list) => accumulate(all, list, add), {})
  const requests = sum(requested)
  const limits = sum(limited)
  const equal = counted.every((name) => {
    const request = requests[name]
    const limit = limits[name]
    return request === undefined ? limit === undefined : limit !== undefined && compare(request, limit) === 0
  })
  return equal ? 'Guaranteed' : 'Burstable'
}
