import { field, required } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { ResourceClaimStatus } from '../resourceclaim.ts'
import { resourceClaims as newer } from '../v1beta2/resourceclaim.ts'
import { ResourceClaimSpec } from './claim.ts'
import { claimConversion } from './conversion.ts'

export const ResourceClaim = object('ResourceClaim', 'Requests devices, and records what was allocated.', () => ({
  spec: required(2, ResourceClaimSpec, 'Desired state.'),
  status: field(3, ResourceClaimStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const resourceClaims = otherVersion(newer, {
  version: 'v1beta1',
  schema: ResourceClaim,
  conversion: claimConversion,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
})
