/** Resolves a service to one of its ready endpoints, because this server may be outside the cluster network (apiserver/pkg/util/proxy). */
import type { Context } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import { serviceUnavailable } from '../respond/status.ts'

/** Look-up of stored objects; groups are written with placeholders. */
export interface ServiceLookup {
  find(
    group: string,
    plural: string,
    namespace: string,
    name: string,
    context: Context | undefined,
  ): ApiObject | undefined | Promise<ApiObject | undefined>
  list(group: string, plural: string, namespace: string, context: Context | undefined): Promise<ApiObject[]>
}

/** Resolves to `HOST:PORT`; rejects with an Error that says what is missing. */
export type ServiceAddress = (namespace: string, name: string, port: number, context: Context | undefined) => Promise<string>

interface ServiceSpec {
  readonly type?: string
  readonly externalName?: string
  readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  readonly ipFamilies?: readonly string[]
}

interface Slice extends ApiObject {
  readonly addressType: string
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
  readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[] | null
}

const hostPort = (host: string, port: number) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Rotated by a random offset, so that all endpoints share the load. */
export function rotated<T>(values: readonly T[]): T[] {
  const start = Math.floor(Math.random() * values.length)
  return [...values.slice(start), ...values.slice(0, start)]
}

/** `serviceNameLabel`: label in which EndpointSlices name their service. */
export function createServiceAddress({ find, list }: ServiceLookup, serviceNameLabel: string): ServiceAddress {
  async function slicesOf(namespace: string, name: string, family: string | undefined, context: Context | undefined): Promise<Slice[]> {
    const slices = (await list('discovery.<domain>', 'endpointslices', namespace, context)) as Slice[]
    const own = rotated(slices.filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === name))
    return [...own.filter(({ addressType }) => addressType === family), ...own.filter(({ addressType }) => addressType !== family)]
  }

  return async (namespace, name, port, context) => {
    const service = await find('', 'services', namespace, name, context)
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
    const spec = (service['spec'] ?? {}) as ServiceSpec
    if (spec.type === 'ExternalName' && spec.externalName) return hostPort(spec.externalName, port)
    const offered = spec.ports?.find((each) => each.port === port)
    if (offered === undefined) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
    for (const { ports, endpoints } of await slicesOf(namespace, name, spec.ipFamilies?.[0], context)) {
      const target = ports?.find((each) => (each.name ?? '') === (offered.name ?? ''))?.port
      const ready = rotated(endpoints ?? []).find(({ conditions }) => conditions?.ready !== false)
      if (target !== undefined && ready?.addresses[0] !== undefined) return hostPort(ready.addresses[0], target)
    }
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  }
}
