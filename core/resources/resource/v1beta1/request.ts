import { atomicList, bool, field, int64, message, pointer, required, string } from '../../../schema/model.ts'
import { DeviceAllocationMode } from '../enums.ts'
import { CapacityRequirements, DeviceSelector, DeviceToleration } from '../request.ts'

export const DeviceSubRequest = message('DeviceSubRequest', 'An alternative of a request.', () => ({
  name: required(1, string, 'DNS label, unique in the request.'),
  deviceClassName: required(2, string, 'Class of the devices.'),
  selectors: field(3, atomicList(DeviceSelector), 'Selectors that devices must all match.'),
  allocationMode: field(4, string, 'ExactCount, or All devices that match.', {
    goType: '.DeviceAllocationMode',
    enum: DeviceAllocationMode,
  }),
  count: field(5, int64, 'Number of devices, with ExactCount; 1 by default.'),
  tolerations: field(7, atomicList(DeviceToleration), 'Taints that are accepted.', { gate: 'DRADeviceTaints' }),
  capacity: pointer(8, CapacityRequirements, 'Capacity that each device must offer.', { gate: 'DRAConsumableCapacity' }),
}))

export const DeviceRequest = message('DeviceRequest', 'A request for devices of one class, or for one of several alternatives.', () => ({
  name: required(1, string, 'DNS label, unique in the claim.'),
  deviceClassName: field(2, string, 'Class of the devices; excludes firstAvailable.', { omitEmpty: false }),
  selectors: field(3, atomicList(DeviceSelector), 'Selectors that devices must all match.'),
  allocationMode: field(4, string, 'ExactCount, or All devices that match.', {
    goType: '.DeviceAllocationMode',
    enum: DeviceAllocationMode,
  }),
  count: field(5, int64, 'Number of devices, with ExactCount; 1 by default.'),
  adminAccess: pointer(6, bool, 'Requests administrative access; requires a labelled namespace.', { gate: 'DRAAdminAccess' }),
  firstAvailable: field(7, atomicList(DeviceSubRequest), 'Alternatives in order of preference.', {
    gate: 'DRAPrioritizedList',
  }),
  tolerations: field(8, atomicList(DeviceToleration), 'Taints that are accepted.', { gate: 'DRADeviceTaints' }),
  capacity: pointer(9, CapacityRequirements, 'Capacity that each device must offer.', { gate: 'DRAConsumableCapacity' }),
}))
