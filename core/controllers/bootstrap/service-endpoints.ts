/** Endpoints and EndpointSlice of the cluster's own service (pkg/controlplane/reconcilers/endpointsadapter.go). */

import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import { ownWrite } from '../client.ts'
import type { ControllerContext } from '../controller.ts'

export interface EndpointPort {
  readonly name: string
  readonly port: number
  readonly protocol: 'TCP'
}

export interface Subset {
  readonly addresses?: readonly { readonly ip: string }[]
  readonly ports?: readonly EndpointPort[]
}

export interface ServiceEndpoints {
  /**
   * Writes the subset that `next` returns, and the slice that belongs to it. `next` gets the stored subset, undefined unless there is exactly one;
   * what it returns unchanged is not written. Rejects with an Error.
   */
  update(next: (stored: Subset | undefined) => Subset): Promise<void>
}

const namespace = 'default'
/** Maximum number of writes when other servers write too. */
const maxTries = 5

const isIpv6 = ({ ip }: { readonly ip: string }) => ip.includes(':')

const subsetsOf = (endpoints: ApiObject | undefined) => (endpoints?.['subsets'] ?? []) as readonly Subset[]

/** The slice has the addresses of one family: IPv6 if all are of it. */
function sliceOf(endpoints: ApiObject, { service, name }: Platform): ApiObject {
  const [{ addresses = [], ports = [] } = {}] = subsetsOf(endpoints)
  const ipv6 = addresses.length > 0 && addresses.every(isIpv6)
  return {
    kind: 'EndpointSlice',
    apiVersion: name('discovery.<domain>/v1'),
    metadata: { namespace, name: service, labels: { [name('<labels>/service-name')]: service } },
    addressType: ipv6 ? 'IPv6' : 'IPv4',
    endpoints: addresses.filter((each) => isIpv6(each) === ipv6).map(({ ip }) => ({ addresses: [ip], conditions: { ready: true } })),
    ...(ports.length > 0 && { ports }),
  }
}

/** As JSON, where empty lists and absent ones are the same. */
const partsOf = (slice: ApiObject) => [slice['endpoints'] ?? [], slice['ports'] ?? [], slice.metadata.labels ?? {}] as unknown as Json

/** Undefined when the resources are not served. */
export function createServiceEndpoints({ table, client, platform }: ControllerContext): ServiceEndpoints | undefined {
  const resourceOf = (group: string, plural: string) => table.lookup(platform.name(group), 'v1', plural)?.definition
  const [endpoints, slices] = [resourceOf('', 'endpoints'), resourceOf('discovery.<domain>', 'endpointslices')]
  if (endpoints === undefined || slices === undefined) return undefined
  const [ofEndpoints, ofSlices] = [client(endpoints), client(slices)]
  /** The server writes both, so that the mirroring controller must not. */
  const skipMirror = platform.name('endpointslice.<labels>/skip-mirror')

  async function writeSlice(wanted: ApiObject): Promise<void> {
    const stored = await ofSlices.get(namespace, platform.service)
    if (stored !== undefined && stored['addressType'] === wanted['addressType']) {
      if (!equal(partsOf(stored), partsOf(wanted))) await ofSlices.update(wanted)
      return
    }
    // The type of a slice can't be changed.
    if (stored !== undefined) await ofSlices.delete(namespace, platform.service)
    await ofSlices.create(namespace, wanted)
  }

  async function write(next: (stored: Subset | undefined) => Subset): Promise<void> {
    const found = await ofEndpoints.get(namespace, platform.service)
    const subsets = subsetsOf(found)
    const stored = subsets.length === 1 ? subsets[0] : undefined
    const subset = next(stored)
    const { metadata = { namespace, name: platform.service } } = found ?? {}
    let object = found
    if (subset !== stored || metadata.labels?.[skipMirror] !== 'true') {
      const changed: ApiObject = {
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: { ...metadata, labels: { ...metadata.labels, [skipMirror]: 'true' } },
        ...(subset.addresses?.length && { subsets: [subset] }),
      }
      object = await (found === undefined ? ofEndpoints.create(namespace, changed) : ofEndpoints.update(changed))
    }
    if (object !== undefined) await writeSlice(sliceOf(object, platform))
  }

  return {
    async update(next) {
      if (!(await ownWrite(() => write(next), maxTries))) throw new Error('other servers keep changing them')
    },
  }
}
