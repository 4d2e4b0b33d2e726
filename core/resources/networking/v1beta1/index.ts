// Shared by both versions.
export { IPAddress, IPAddressSpec, ParentReference } from '../ipaddress.ts'
export { ServiceCIDR, ServiceCIDRSpec, ServiceCIDRStatus } from '../servicecidr.ts'
export * from './ipaddress.ts'
export * from './servicecidr.ts'
