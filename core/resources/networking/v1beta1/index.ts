import type { ResourceDefinition } from '../../definition.ts'
import { ipAddresses } from './ipaddress.ts'
import { serviceCIDRs } from './servicecidr.ts'

// Shared by both versions.
export { IPAddress, IPAddressSpec, ParentReference } from '../ipaddress.ts'
export { ServiceCIDR, ServiceCIDRSpec, ServiceCIDRStatus } from '../servicecidr.ts'
export * from './ipaddress.ts'
export * from './servicecidr.ts'

export const definitions: readonly ResourceDefinition[] = [ipAddresses, serviceCIDRs]
