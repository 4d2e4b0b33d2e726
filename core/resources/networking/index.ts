import type { ResourceDefinition } from '../definition.ts'
import { ingresses } from './ingress.ts'
import { ingressClasses } from './ingressclass.ts'
import { ipAddresses } from './ipaddress.ts'
import { networkPolicies } from './networkpolicy.ts'
import { serviceCIDRs } from './servicecidr.ts'

export * from './ingress.ts'
export * from './ingressclass.ts'
export * from './ipaddress.ts'
export * from './networkpolicy.ts'
export * from './servicecidr.ts'

export const definitions: readonly ResourceDefinition[] = [ingressClasses, ingresses, ipAddresses, networkPolicies, serviceCIDRs]
