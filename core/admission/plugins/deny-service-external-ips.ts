/** Denies new external IPs of services, which could capture traffic for other hosts (plugin/pkg/admission/network/denyserviceexternalips). */
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal } from './about.ts'

const addressesOf = (service: ApiObject | undefined) =>
  ((service?.['spec'] ?? {}) as { readonly externalIPs?: readonly string[] | null }).externalIPs ?? []

export function denyServiceExternalIps(_context: PluginContext): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    operations: ['CREATE', 'UPDATE'],
    resources: [{ group: '', resource: 'services' }],
    validate(attributes) {
      if (!isAbout(attributes, 'services')) return
      const before = new Set(addressesOf(attributes.oldObject))
      if (addressesOf(attributes.object).every((address) => before.has(address))) return
      throw refusal(attributes, 'Use of external IPs is denied by admission control')
    },
  }
}
