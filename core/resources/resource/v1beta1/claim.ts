import { atomicList, field, message } from '../../../schema/model.ts'
import { DeviceClaimConfiguration } from '../claim.ts'
import { DeviceConstraint } from '../request.ts'
import { DeviceRequest } from './request.ts'

export const DeviceClaim = message('DeviceClaim', 'Requested devices.', () => ({
  requests: field(1, atomicList(DeviceRequest), 'Requests, all of which must be satisfied.', { omitEmpty: false }),
  constraints: field(2, atomicList(DeviceConstraint), 'What the devices must have in common, or not.'),
  config: field(3, atomicList(DeviceClaimConfiguration), 'Configurations for the drivers.'),
}))

export const ResourceClaimSpec = message('ResourceClaimSpec', 'The request of a claim; cannot be changed.', () => ({
  devices: field(1, DeviceClaim, 'Devices.', { omitEmpty: false }),
}))
