/** Whether the server of a registration can be reached, with the reasons and messages of conditions that clients know. */

import type { Lookup } from '../admission/lookup.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { EndpointSlice } from '../resources/discovery/endpointslice.ts'
import { messageOf } from '../schema/message-of.ts'
import type { Infer } from '../schema/model.ts'
import { AskFailed, type AskServices, ask } from './ask.ts'
import type { Condition, Registration, RemoteRegistration, ServiceReference } from './registration.ts'

export interface AvailabilityServices extends AskServices<RemoteRegistration> {
  readonly lookup: Pick<Lookup, 'find' | 'list'>
  /** User name of the requests. */
  readonly user: string
  /** Label in which EndpointSlices name their service. */
  readonly serviceNameLabel: string
}

export type AvailabilityCondition = Required<Pick<Condition, 'status' | 'reason' | 'message'>>

/** Milliseconds that a server has to answer. */
const timeout = 5_000
/** Requests of a check, which may reach different endpoints: one that succeeds is enough. */
const attempts = 5

export const local: AvailabilityCondition = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
const passed: AvailabilityCondition = { status: 'True', reason: 'Passed', message: 'all checks passed' }
const failed = (reason: string, message: string): AvailabilityCondition => ({ status: 'False', reason, message })

/** Reason of a finding that comes from the server or the way to it, which no event announces. */
export const failedCheck = 'FailedDiscoveryCheck'

type Slice = ApiObject & Infer<typeof EndpointSlice>

/** Whether a slice has a ready endpoint and the port. */
const serves = ({ ports, endpoints }: Slice, name: string) =>
  (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
  (ports ?? []).some((each) => (each.name ?? '') === name && each.port !== undefined)

/** What speaks against the service, without asking its server. */
async function problemOf(
  { namespace, name, port = 443 }: ServiceReference,
  { lookup, serviceNameLabel }: AvailabilityServices,
): Promise<AvailabilityCondition | undefined> {
  const place = `service/${name} in ${JSON.stringify(namespace)}`
  const service = await lookup.find('', 'services', namespace, name, undefined)
  if (service === undefined) return failed('ServiceNotFound', `${place} is not present`)
  const spec = service['spec'] as { readonly type?: string; readonly ports?: readonly { readonly name?: string; readonly port: number }[] }
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

/** Rejects with an Error for the condition. */
async function attempt(registration: RemoteRegistration, services: AvailabilityServices, signal: AbortSignal): Promise<void> {
  const { group, version } = registration.spec
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`
  const user = { name: services.user, groups: ['system:masters'] }
  const missing = (url: string, why: string) => new Error(`failing or missing response from ${url}: ${why}`)
  const { url, status } = await ask(registration, { path, user, timeout, maxBytes: 0, signal }, services).catch((error: unknown) => {
    throw error instanceof AskFailed ? missing(error.url, error.message) : error
  })
  if (status < 200 || status >= 300) throw missing(url, `bad status from ${url}: ${status}`)
}

/** Undefined when an attempt succeeds, which ends the others. */
async function failureOf(registration: RemoteRegistration, services: AvailabilityServices, closing: AbortSignal) {
  const ending = new AbortController()
  const signal = AbortSignal.any([closing, ending.signal])
  try {
    await Promise.any(Array.from({ length: attempts }, () => attempt(registration, services, signal)))
    return undefined
  } catch (error) {
    return failed(failedCheck, messageOf(error instanceof AggregateError ? error.errors.at(-1) : error))
  } finally {
    ending.abort(new Error('another attempt has succeeded'))
  }
}

/** Asks the server, unless its service speaks against it. `closing` aborts the requests. */
export async function availabilityOf(
  registration: Registration,
  services: AvailabilityServices,
  closing: AbortSignal,
): Promise<AvailabilityCondition> {
  const { service } = registration.spec
  if (service === undefined) return local
  return (await problemOf(service, services)) ?? (await failureOf(registration as RemoteRegistration, services, closing)) ?? passed
}
