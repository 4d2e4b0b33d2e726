/** Reports in each registration whether its server can be reached (pkg/controllers/status of the aggregator). */
import type { Lookup } from '../admission/lookup.ts'
import { ownWrite, type ResourceClient } from '../controllers/client.ts'
import type { QueueMetrics } from '../controllers/queue-metrics.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Logger } from '../ports.ts'
import { timestamp } from '../schema/formats/time.ts'
import { type AvailabilityCondition, type AvailabilityServices, availabilityOf, failedCheck, local } from './availability-condition.ts'
import { aggregationRows } from './metrics.ts'
import { createRefresher } from './refresher.ts'
import { available, type Condition, conditionOf, isAvailable, type Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'
import { followServices, placeOf } from './service-events.ts'

export interface AvailabilityOptions extends AvailabilityServices {
  readonly registrations: Registrations
  /** Client of the registrations. */
  readonly client: ResourceClient
  readonly lookup: Pick<Lookup, 'find' | 'list' | 'follow'>
  readonly clock: Clock
  readonly logger: Logger
  readonly queues: QueueMetrics
  readonly metrics: Metrics
}

/** A finding after which the registration is looked at again soon. */
class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Milliseconds between checks. */
const interval = 30_000

function says(registration: Registration, finding: AvailabilityCondition): boolean {
  const { status, reason, message } = conditionOf(registration) ?? {}
  return status === finding.status && reason === finding.reason && message === finding.message
}

/** The registration with the finding as its condition; undefined: it has it already. */
function judged(registration: Registration, finding: AvailabilityCondition, now: number): Registration | undefined {
  if (says(registration, finding)) return undefined
  const known = conditionOf(registration)
  const since = known?.status === finding.status ? known.lastTransitionTime : undefined
  const condition: Condition = { type: available, lastTransitionTime: since ?? timestamp(now), ...finding }
  const all = registration.status?.conditions ?? []
  const conditions = known === undefined ? [...all, condition] : all.map((each) => (each === known ? condition : each))
  return { ...registration, status: { conditions } }
}

/** Whether a registration of this server itself says so already: then it needs no checks. */
const isSettled = (registration: Registration) => registration.spec.service === undefined && says(registration, local)

/** The returned function stops it. */
export function reportAvailability(options: AvailabilityOptions): () => void {
  const { registrations, client, lookup, clock, logger, queues, metrics, serviceNameLabel } = options
  const { unavailable, ...counted } = aggregationRows
  metrics.collect(unavailable, () => Array.from(registrations.all, ([name, each]) => [[name], isAvailable(each) ? 0 : 1] as const))
  const { becameUnavailable } = metrics.record(counted)
  /** Whether the finding is reported; false: the registration has changed meanwhile, which queues it again. */
  async function report(registration: Registration, finding: AvailabilityCondition): Promise<boolean> {
    const changed = judged(registration, finding, clock.now())
    if (changed === undefined) return true
    if (!(await ownWrite(() => client.update(changed, 'status')))) return false
    const { name = '' } = registration.metadata
    const { status, reason, message: said } = finding
    logger.info({ name, status, reason, said }, 'availability of an API service has changed')
    if (isAvailable(registration) && status !== 'True') becameUnavailable.add([name, reason])
    return true
  }

  async function check(name: string, closing: AbortSignal): Promise<void> {
    const registration = registrations.all.get(name)
    if (registration === undefined) return
    const finding = await availabilityOf(registration, options, closing)
    if (closing.aborted || !(await report(registration, finding))) return
    if (finding.reason === failedCheck) throw new Unreachable(finding.message)
  }

  const refresher = createRefresher({ name: 'RemoteAvailabilityController', clock, logger, queues, work: check }, interval)
  /** Places of the services that registrations refer to, by the registrations' names. */
  const places = new Map<string, string>()
  const wake = (place: string) => {
    for (const [name, own] of places) if (own === place) refresher.add(name)
  }
  /** Only while a registration refers to a service: most servers have many services, and no such registration. */
  let unfollow: (() => void) | undefined

  function look(name: string): void {
    const registration = registrations.all.get(name)
    const service = registration?.spec.service
    if (service === undefined) places.delete(name)
    else places.set(name, placeOf(service.namespace, service.name))
    if (places.size > 0) unfollow ??= followServices(lookup, serviceNameLabel, wake)
    else {
      unfollow?.()
      unfollow = undefined
    }
    if (registration === undefined || isSettled(registration)) refresher.remove(name)
    else refresher.add(name)
  }

  const stop = registrations.follow(look)
  for (const name of registrations.all.keys()) look(name)
  return () => {
    stop()
    refresher.close()
    unfollow?.()
  }
}
