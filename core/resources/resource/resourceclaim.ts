import { field, type HookContext, type Infer, keyedList, list, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { AllocatedDeviceStatus, AllocationResult } from './allocation.ts'
import { ResourceClaimSpec } from './claim.ts'
import { resourceClaimColumns } from './columns.ts'
import { forgiveFixedSpec } from './fixed-spec.ts'
import { deviceID, validateClaimStatus } from './status-validation.ts'

export const ResourceClaimConsumerReference = message(
  'ResourceClaimConsumerReference',
  'Points at an object that may use a claim.',
  () => ({
    apiGroup: field(1, string, 'API group of the object.'),
    resource: required(3, string, 'Resource of the object, such as pods.'),
    name: required(4, string, 'Name of the object.'),
    uid: required(5, string, 'UID of the object.', { goType: 'types.UID' }),
  }),
)

export const ResourceClaimStatus = message('ResourceClaimStatus', 'State of a claim.', () => ({
  allocation: pointer(1, AllocationResult, 'What was allocated; absent before.'),
  reservedFor: keyedList(2, ResourceClaimConsumerReference, 'uid', 'Who may use it now, up to 256.'),
  devices: field(
    4,
    list(AllocatedDeviceStatus, { listType: 'map', keys: ['driver', 'device', 'pool', 'shareID'] }),
    'State of each allocated device.',
    { gate: 'DRAResourceClaimDeviceStatus' },
  ),
}))

export const ResourceClaim = object('ResourceClaim', 'Requests devices, and records what was allocated.', () => ({
  spec: required(2, ResourceClaimSpec, 'Desired state.', { immutable: true }),
  status: field(3, ResourceClaimStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

type Claim = Infer<typeof ResourceClaim>

const allocatedIn = ({ status }: Claim) => (status?.allocation?.devices?.results ?? []).map(deviceID)

/** Drops status of devices that are not allocated any more. */
function dropReleasedDevices(claim: Claim, old: Claim, { settings }: HookContext): void {
  if (!claim.status?.devices || !settings.enabled('DRAResourceClaimDeviceStatus')) return
  const allocated = new Set(allocatedIn(claim))
  const released = new Set(allocatedIn(old).filter((id) => !allocated.has(id)))
  if (released.size > 0) claim.status.devices = claim.status.devices.filter((device) => !released.has(deviceID(device)))
}

export const resourceClaims = resource({
  group: 'resource.<domain>',
  version: 'v1',
  names: ['resourceclaims', 'resourceclaim'],
  metadataOnUpdate: ['object', 'update'],
  schema: ResourceClaim,
  columns: resourceClaimColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.34' },
  status: true,
  statusTables: false,
  statusKeeps: 'metadata',
  strategy: { prepareStatus: dropReleasedDevices, validate: forgiveFixedSpec, validateStatus: validateClaimStatus },
})
