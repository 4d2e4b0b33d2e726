import type { ApiObject } from '../../resources/definition.ts'
import type { ResourceClaimSpec } from '../../resources/resource/claim.ts'
import type { ExactDeviceRequest } from '../../resources/resource/request.ts'
import type { Infer } from '../../schema/model.ts'
import type { PluginContext } from '../context.ts'
import { type Amounts, excess, positive, sum } from './amounts.ts'
import { countName, type Evaluator } from './evaluator.ts'

type DeviceRequest = Pick<Infer<typeof ExactDeviceRequest>, 'allocationMode' | 'count'>

type ClaimSpec = Infer<typeof ResourceClaimSpec>

/** Maximum devices per claim (AllocationResultsMaxSize). */
const maxDevices = 32

/** Unknown allocation modes count as zero. */
const devicesOf = ({ allocationMode, count = 0 }: DeviceRequest) =>
  allocationMode === 'ExactCount' ? count : allocationMode === 'All' ? maxDevices : 0

/** Devices by class; of alternatives the maximum per class. */
function byClass({ devices }: ClaimSpec): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const { exactly, firstAvailable } of devices?.requests ?? []) {
    const alternatives = firstAvailable && firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : []
    const maxima = new Map<string, number>()
    for (const each of alternatives) {
      const name = each.deviceClassName ?? ''
      maxima.set(name, Math.max(maxima.get(name) ?? 0, devicesOf(each)))
    }
    for (const [name, count] of maxima) total.set(name, (total.get(name) ?? 0) + count)
  }
  return total
}

/**
 * Quota evaluator of resource claims (dynamic resource allocation), which looks objects up for all requests of a batch. `podUsage`: usage of a pod, for
 * claims created for its extended resources.
 */
export function deviceClaimEvaluator(
  { platform, find, enabled }: Pick<PluginContext, 'platform' | 'find' | 'enabled'>,
  podUsage: (pod: ApiObject) => Amounts,
): Evaluator {
  const group = platform.name('resource.<domain>')
  const count = countName({ group, resource: 'resourceclaims' })
  const perClass = platform.name('.deviceclass.resource.<domain>/devices')
  const implicit = platform.name('requests.deviceclass.resource.<labels>/')
  const mark = platform.name('resource.<labels>/extended-resource-claim')

  async function extendedName(deviceClass: string): Promise<string | undefined> {
    const found = await find('resource.<domain>', 'deviceclasses', '', deviceClass, undefined)
    return (found?.['spec'] as { readonly extendedResourceName?: string } | undefined)?.extendedResourceName
  }

  /** Usage that the claim's pod has already been charged. */
  async function chargedToPod({ metadata }: ApiObject): Promise<Amounts> {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller)
    if (metadata.annotations?.[mark] !== 'true' || owner?.kind !== 'Pod' || owner.apiVersion !== 'v1') return {}
    const pod = await find('', 'pods', metadata.namespace ?? '', owner.name, undefined)
    if (pod?.metadata.uid !== owner.uid) return {}
    const { extendedResourceClaimStatus: own } = (pod['status'] ?? {}) as {
      readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string } | null
    }
    return own && own.resourceClaimName !== metadata.name ? {} : podUsage(pod)
  }

  return {
    handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
    counts: (name) =>
      name === count ||
      name.endsWith(perClass) ||
      // Extended resource that maps to devices of a class.
      (enabled('DRAExtendedResource') && name.startsWith('requests.') && name.includes('/')),
    async usage(object) {
      const devices = byClass((object['spec'] ?? {}) as ClaimSpec)
      let usage: Amounts = { [count]: '1' }
      let extended: Amounts = {}
      for (const [name, amount] of devices) {
        usage = sum(usage, { [name + perClass]: String(amount) })
        const alias = await extendedName(name)
        extended = sum(extended, { [implicit + name]: String(amount), ...(alias && { [`requests.${alias}`]: String(amount) }) })
      }
      if (!enabled('DRAExtendedResource')) return usage
      return sum(usage, positive(excess(extended, await chargedToPod(object))))
    },
  }
}
