/** Reports in each registration whether its server can be reached (pkg/controllers/status of the aggregator). */
import type { Lookup } from '../admission/lookup.ts'
import { isStale, type ResourceClient } from '../controllers/client.ts'
import type { AggregationMetrics } from '../meta/metrics/aggregation.ts'
import type { QueueObserver } from '../meta/metrics/queues.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import { timestamp } from '../schema/time.ts'
import { type AskServices, ask } from './ask.ts'
import { createRefresher } from './refresher.ts'
import {
  available,
  type Condition,
  conditionOf,
  isAvailable,
  type Registration,
  type RemoteRegistration,
  type ServiceReference,
} from './registration.ts'
import type { Registrations } from './registrations.ts'

export interface AvailabilityOptions extends AskServices {
  readonly registrations: Registrations
  /** Client of the registrations. */
  readonly client: ResourceClient
  readonly lookup: Pick<Lookup, 'find' | 'list' | 'follow'>
  readonly clock: Clock
  readonly logger: Logger
  readonly queues: QueueObserver
  readonly observer: AggregationMetrics
  /** User name of the requests. */
  readonly user: string
  /** Label in which EndpointSlices name their service. */
  readonly serviceNameLabel: string
}

type Finding = Pick<Condition, 'status' | 'reason' | 'message'>

/** A finding after which the registration is looked at again soon. */
class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Milliseconds between checks. */
const interval = 30_000
/** Milliseconds that a server has to answer. */
const timeout = 5_000
/** Requests of a check, which may reach different endpoints: one that succeeds is enough. */
const attempts = 5

const local: Finding = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
const passed: Finding = { status: 'True', reason: 'Passed', message: 'all checks passed' }
const failed = (reason: string, message: string): Finding => ({ status: 'False', reason, message })

interface ServicePort {
  readonly name?: string
  readonly port: number
}

interface Slice extends ApiObject {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null
}

/** Whether a slice has a ready endpoint and the port. */
const serves = ({ ports, endpoints }: Slice, name: string) =>
  (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
  (ports ?? []).some((each) => (each.name ?? '') === name && each.port !== undefined)

/** The registration with the finding as its condition; undefined: it has it already. */
function judged(registration: Registration, finding: Finding, now: number): Registration | undefined {
  const known = conditionOf(registration)
  const same = known?.status === finding.status && known?.reason === finding.reason && known?.message === finding.message
  if (same) return undefined
  const since = known?.status === finding.status ? known.lastTransitionTime : undefined
  const condition: Condition = { type: available, lastTransitionTime: since ?? timestamp(now), ...finding }
  const others = (registration.status?.conditions ?? []).filter(({ type }) => type !== available)
  return { ...registration, status: { conditions: [...others, condition] } }
}

/** The returned function stops it. */
export function reportAvailability(options: AvailabilityOptions): () => void {
  const { registrations, client, lookup, clock, logger, queues, observer, user, serviceNameLabel } = options
  const closing = new AbortController()

  /** What speaks against the service, without asking its server. */
  async function problemOf({ namespace, name, port = 443 }: ServiceReference): Promise<Finding | undefined> {
    const place = `service/${name} in ${JSON.stringify(namespace)}`
    const service = await lookup.find('', 'services', namespace, name, undefined)
    if (service === undefined) return failed('ServiceNotFound', `${place} is not present`)
    const spec = service['spec'] as { readonly type?: string; readonly ports?: readonly ServicePort[] }
    if (spec.type !== 'ClusterIP') return undefined
    const offered = spec.ports?.find((each) => each.port === port)
    if (offered === undefined) return failed('ServicePortError', `${place} is not listening on port ${port}`)
    const all = (await lookup.list('discovery.<domain>', 'endpointslices', namespace, undefined)) as Slice[]
    const slices = all.filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === name)
    if (slices.length === 0) return failed('EndpointsNotFound', `cannot find endpointslices for ${place}`)
    const portName = offered.name ?? ''
    if (slices.some((slice) => serves(slice, portName))) return undefined
    return failed('MissingEndpoints', `endpointslices for ${place} have no addresses with port name ${JSON.stringify(portName)}`)
  }

  async function attempt(registration: RemoteRegistration, signal: AbortSignal): Promise<void> {
    const { group, version } = registration.spec
    const path = group ? `/apis/${group}/${version}` : `/api/${version}`
    const asked = { path, user: { name: user, groups: ['system:masters'] }, timeout, longest: 0, signal }
    let url = ''
    let problem = ''
    try {
      const told = await ask(registration, asked, options)
      url = told.url
      if (told.status < 200 || told.status >= 300) problem = `bad status from ${url}: ${told.status}`
    } catch (error) {
      problem = messageOf(error)
      url = /^Get "([^"]+)"/.exec(problem)?.[1] ?? ''
    }
    if (problem !== '') throw new Error(url === '' ? problem : `failing or missing response from ${url}: ${problem}`)
  }

  /** Undefined when an attempt succeeds, which ends the others. */
  async function failureOf(registration: RemoteRegistration): Promise<Finding | undefined> {
    const enough = new AbortController()
    const signal = AbortSignal.any([closing.signal, enough.signal])
    try {
      await Promise.any(Array.from({ length: attempts }, () => attempt(registration, signal)))
      return undefined
    } catch (error) {
      return failed('FailedDiscoveryCheck', messageOf(error instanceof AggregateError ? error.errors.at(-1) : error))
    } finally {
      enough.abort(new Error('another attempt has succeeded'))
    }
  }

  async function findingOf(registration: Registration): Promise<Finding> {
    const { service } = registration.spec
    if (service === undefined) return local
    return (await problemOf(service)) ?? (await failureOf(registration as RemoteRegistration)) ?? passed
  }

  async function check(name: string): Promise<void> {
    const registration = registrations.all.get(name)
    if (registration === undefined) return
    const finding = await findingOf(registration)
    if (closing.signal.aborted) return
    const changed = judged(registration, finding, clock.now())
    if (changed !== undefined) {
      try {
        await client.update(changed, 'status')
      } catch (error) {
        // It has changed meanwhile, which queues it again.
        if (isStale(error)) return
        throw error
      }
      logger.info(
        { name, status: finding.status, reason: finding.reason, said: finding.message },
        'availability of an API service has changed',
      )
      if (isAvailable(registration) && finding.status !== 'True') observer.becameUnavailable(name, finding.reason ?? '')
    }
    if (finding.reason === 'FailedDiscoveryCheck') throw new Unreachable(finding.message)
  }

  const refresher = createRefresher({ name: 'RemoteAvailabilityController', clock, logger, queues, work: check }, interval)
  const remote = new Map<string, string>()
  const isRightLocal = (registration: Registration) => {
    const { status, reason } = conditionOf(registration) ?? {}
    return registration.spec.service === undefined && status === local.status && reason === local.reason
  }
  /** Following of services and their endpoints, while a registration refers to one. */
  let following: readonly { close(): void }[] = []

  function followServices(): void {
    if (remote.size > 0 === following.length > 0) return
    for (const each of following) each.close()
    const wake = (place: string) => {
      for (const [name, its] of remote) if (its === place) refresher.add(name)
    }
    const services = { upsert: wake, remove: wake }
    /** Service of each slice, by key: a removed one is known by its key only. */
    const places = new Map<string, string>()
    const slices = {
      upsert(key: string, { metadata }: ApiObject) {
        const before = places.get(key)
        const place = `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ''}`
        places.set(key, place)
        wake(place)
        if (before !== undefined && before !== place) wake(before)
      },
      remove(key: string) {
        wake(places.get(key) ?? '')
        places.delete(key)
      },
    }
    const byPlace = {
      upsert: (_key: string, object: ApiObject) => services.upsert(placeOf(object)),
      remove: (key: string) => services.remove(lastTwo(key)),
    }
    following =
      remote.size === 0 ? [] : [lookup.follow('', 'services', byPlace), lookup.follow('discovery.<domain>', 'endpointslices', slices)]
  }

  function look(name: string): void {
    const registration = registrations.all.get(name)
    const service = registration?.spec.service
    if (service === undefined) remote.delete(name)
    else remote.set(name, `${service.namespace}/${service.name}`)
    followServices()
    // What this server serves itself needs no further checks once it is reported.
    if (registration === undefined || isRightLocal(registration)) refresher.remove(name)
    else refresher.add(name)
  }

  const stop = registrations.follow(look)
  for (const name of registrations.all.keys()) look(name)
  return () => {
    stop()
    closing.abort(new Error('the server is closing'))
    refresher.close()
    for (const each of following) each.close()
  }
}

const placeOf = ({ metadata }: ApiObject) => `${metadata.namespace}/${metadata.name}`

/** Namespace and name at the end of a key. */
const lastTwo = (key: string) => key.split('/').slice(-2).join('/')
