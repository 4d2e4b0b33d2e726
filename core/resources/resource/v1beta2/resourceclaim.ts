import { resource } from '../../definition.ts'
import { resourceClaimColumns } from '../columns.ts'
import { ResourceClaim } from '../resourceclaim.ts'

export const resourceClaims = resource({
  group: 'resource.<domain>',
  version: 'v1beta2',
  names: ['resourceclaims', 'resourceclaim'],
  schema: ResourceClaim,
  columns: resourceClaimColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
  status: true,
  statusKeeps: 'metadata',
})
