import { field, required } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { resourceClaimColumns } from '../columns.ts'
import { ResourceClaimStatus } from '../resourceclaim.ts'
import { ResourceClaimSpec } from './claim.ts'
import { claimConversion } from './conversion.ts'

export const ResourceClaim = object('ResourceClaim', 'Requests devices, and records what was allocated.', {
  spec: required(2, ResourceClaimSpec, 'Desired state.'),
  status: field(3, ResourceClaimStatus, 'Last observed state; written by controllers through the status subresource.'),
})

export const resourceClaims = resource({
  group: 'resource.<domain>',
  version: 'v1beta1',
  kind: 'ResourceClaim',
  names: ['resourceclaims', 'resourceclaim'],
  schema: ResourceClaim,
  columns: resourceClaimColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  conversion: claimConversion,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  status: true,
  statusKeeps: 'metadata',
})
