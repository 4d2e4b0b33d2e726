import type { ResourceDefinition } from '../definition.ts'
import { deviceClasses } from './deviceclass.ts'
import { resourceClaims } from './resourceclaim.ts'
import { resourceClaimTemplates } from './resourceclaimtemplate.ts'
import { resourceSlices } from './resourceslice.ts'

export * from './allocation.ts'
export * from './claim.ts'
export * from './device.ts'
export * from './deviceclass.ts'
export * from './enums.ts'
export * from './request.ts'
export * from './resourceclaim.ts'
export * from './resourceclaimtemplate.ts'
export * from './resourceslice.ts'

export const definitions: readonly ResourceDefinition[] = [deviceClasses, resourceClaims, resourceClaimTemplates, resourceSlices]
