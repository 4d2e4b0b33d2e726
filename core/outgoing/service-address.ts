/**
 * Resolves a service to one of its ready endpoints, for a server outside of the cluster network, or to its cluster IP
 * (apiserver/pkg/util/proxy).
 */

import { serviceUnavailable } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Context } from '../ports.ts'
import type { ServiceSpec as ServiceSpecSchema } from '../resources/core/service.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { EndpointSlice } from '../resources/discovery/endpointslice.ts'
import type { Infer } from '../schema/model.ts'
import { hostPort } from './url-parts.ts'

/** Look-up of stored objects; groups are written with placeholders. */
export interface ServiceLookup {
  find(group: string, plural: string, namespace: string, name: string, context: Context | undefined): MaybePromise<ApiObject | undefined>
  list(group: string, plural: string, namespace: string, context: Context | undefined): Promise<ApiObject[]>
}

/** A server has no address. */
export class NoAddress extends Error {
  override readonly name = 'NoAddress'
}

/** Resolves to `HOST:PORT`; rejects with an Error that says what is missing. */
export type ServiceAddress = (namespace: string, name: string, port: number, context: Context | undefined) => Promise<string>

type ServiceSpec = Infer<typeof ServiceSpecSchema>

type Slice = ApiObject & Infer<typeof EndpointSlice>

/** Rotated by a random offset, so that all endpoints share the load. */
export function rotated<T>(values: readonly T[]): T[] {
  const start = Math.floor(Math.random() * values.length)
  return [...values.slice(start), ...values.slice(0, start)]
}

async function specOf(find: ServiceLookup['find'], namespace: string, name: string, context: Context | undefined): Promise<ServiceSpec> {
  const service = await find('', 'services', namespace, name, context)
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
  return (service['spec'] ?? {}) as ServiceSpec
}

function offeredPort({ ports }: ServiceSpec, name: string, port: number) {
  const offered = ports?.find((each) => each.port === port)
  if (offered === undefined) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
  return offered
}

/** The service's cluster IP, for a server inside of the cluster network. */
export function createClusterAddress({ find }: Pick<ServiceLookup, 'find'>): ServiceAddress {
  return async (namespace, name, port, context) => {
    const spec = await specOf(find, namespace, name, context)
    if (spec.type === 'ExternalName' && spec.externalName) return hostPort(spec.externalName, port)
    const { clusterIP = '' } = spec
    if (clusterIP === '' || clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
    offeredPort(spec, name, port)
    return hostPort(clusterIP, port)
  }
}

/** `serviceNameLabel`: label in which EndpointSlices name their service. `externalNames`: whether a service may be a name outside of the cluster. */
export function createServiceAddress({ find, list }: ServiceLookup, serviceNameLabel: string, externalNames = true): ServiceAddress {
  async function slicesOf(namespace: string, name: string, family: string | undefined, context: Context | undefined): Promise<Slice[]> {
    const slices = (await list('discovery.<domain>', 'endpointslices', namespace, context)) as Slice[]
    const own = rotated(slices.filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === name))
    return [...own.filter(({ addressType }) => addressType === family), ...own.filter(({ addressType }) => addressType !== family)]
  }

  return async (namespace, name, port, context) => {
    const spec = await specOf(find, namespace, name, context)
    if (spec.type === 'ExternalName' && !externalNames) throw new Error(`unsupported service type ${JSON.stringify(spec.type)}`)
    if (spec.type === 'ExternalName' && spec.externalName) return hostPort(spec.externalName, port)
    const offered = offeredPort(spec, name, port)
    for (const { ports, endpoints } of await slicesOf(namespace, name, spec.ipFamilies?.[0], context)) {
      const target = ports?.find((each) => (each.name ?? '') === (offered.name ?? ''))?.port
      const ready = rotated(endpoints ?? []).find(({ conditions }) => conditions?.ready !== false)
      if (target !== undefined && ready?.addresses[0] !== undefined) return hostPort(ready.addresses[0], target)
    }
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  }
}
