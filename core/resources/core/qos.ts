/** Quality of service of a pod, which decides who is evicted first. */
import type { Infer } from '../../schema/model.ts'
import type { PodSpec as PodSpecSchema } from './pod-spec.ts'
import { add, combine, compare, type ResourceList, signOf } from './quantities.ts'

type QOSClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const counted = ['cpu', 'memory']

function positive(amounts: ResourceList = {}): ResourceList {
  return Object.fromEntries(Object.entries(amounts).filter(([name, amount]) => counted.includes(name) && signOf(amount) > 0))
}

/**
 * Guaranteed when every container (or the pod as a whole) limits both CPU and memory and requests as much; BestEffort when none asks
 * for either; else Burstable.
 */
export function qosClassOf({ containers, initContainers = [], resources }: Infer<typeof PodSpecSchema>): QOSClass {
  const podLevel = Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0
  const parts = podLevel ? [resources] : [...(containers ?? []), ...initContainers].map((container) => container.resources)
  let requests: ResourceList = {}
  let limits: ResourceList = {}
  let guaranteed = true
  for (const part of parts) {
    const own = positive(part?.limits)
    requests = combine(requests, positive(part?.requests), add)
    limits = combine(limits, own, add)
    guaranteed &&= counted.every((name) => own[name] !== undefined)
  }
  if (Object.keys(requests).length + Object.keys(limits).length === 0) return 'BestEffort'
  const equal = counted.every((name) => {
    const request = requests[name]
    const limit = limits[name]
    return request === undefined ? limit === undefined : limit !== undefined && compare(request, limit) === 0
  })
  return guaranteed && equal ? 'Guaranteed' : 'Burstable'
}
