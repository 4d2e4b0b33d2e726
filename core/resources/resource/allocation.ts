import { atomicList, bool, field, inline, list, map, message, pointer, quantity, raw, required, string, time } from '../../schema/model.ts'
import { NodeSelector } from '../core/affinity.ts'
import { Condition } from '../meta/condition.ts'
import { DeviceConfiguration } from './claim.ts'
import { DeviceToleration } from './request.ts'

export const NetworkDeviceData = message('NetworkDeviceData', 'Network facts of a device.', () => ({
  interfaceName: field(1, string, 'Name of the network interface.'),
  ips: field(2, atomicList(string), 'Addresses with prefix length.'),
  hardwareAddress: field(3, string, 'Hardware address.'),
}))

export const AllocatedDeviceStatus = message('AllocatedDeviceStatus', 'State of an allocated device, from its driver.', () => ({
  driver: required(1, string, 'Driver of the device.'),
  pool: required(2, string, 'Pool of the device.'),
  device: required(3, string, 'Name of the device.'),
  shareID: pointer(7, string, 'Identifier of the share, when the device is shared.', { gate: 'DRAConsumableCapacity' }),
  conditions: field(4, list(Condition, { listType: 'map', keys: ['type'] }), 'Latest observations, one per condition type.', {
    omitEmpty: false,
  }),
  data: pointer(5, raw, 'Any data of the driver, up to 10 kB.'),
  networkData: pointer(6, NetworkDeviceData, 'Network facts.'),
}))

export const DeviceRequestAllocationResult = message('DeviceRequestAllocationResult', 'A device that was allocated for a request.', () => ({
  request: required(1, string, 'Request that it satisfies, as <request> or <request>/<subrequest>.'),
  driver: required(2, string, 'Driver of the device.'),
  pool: required(3, string, 'Pool of the device.'),
  device: required(4, string, 'Name of the device.'),
  adminAccess: pointer(5, bool, 'Allocated for administration; others may use the device at the same time.', { gate: 'DRAAdminAccess' }),
  tolerations: field(6, atomicList(DeviceToleration), 'Tolerations of the request.', { gate: 'DRADeviceTaints' }),
  bindingConditions: field(7, atomicList(string), 'Conditions that must be true before pods are bound.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  bindingFailureConditions: field(8, atomicList(string), 'Conditions of which any true one undoes the allocation.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  shareID: pointer(9, string, 'Identifier of the share, when the device is shared.', {
    goType: 'types.UID',
    gate: 'DRAConsumableCapacity',
  }),
  consumedCapacity: field(10, map(quantity), 'Capacity used by the share.', {
    goType: 'map[.QualifiedName]resource.Quantity',
    gate: 'DRAConsumableCapacity',
  }),
}))

export const DeviceAllocationConfiguration = message('DeviceAllocationConfiguration', 'Configuration for allocated devices.', () => ({
  source: required(1, string, 'Where it comes from: FromClass or FromClaim.', {
    goType: '.AllocationConfigSource',
    enum: ['FromClass', 'FromClaim'],
  }),
  requests: field(2, atomicList(string), 'Requests that it is for; all when empty.'),
  deviceConfiguration: inline(3, DeviceConfiguration),
}))

export const DeviceAllocationResult = message('DeviceAllocationResult', 'Devices that were allocated.', () => ({
  results: field(1, atomicList(DeviceRequestAllocationResult), 'The devices.'),
  config: field(2, atomicList(DeviceAllocationConfiguration), 'Configurations for them.'),
}))

export const AllocationResult = message('AllocationResult', 'What was allocated for a claim.', () => ({
  devices: field(1, DeviceAllocationResult, 'Devices.'),
  nodeSelector: pointer(3, NodeSelector, 'Nodes that can reach them; all when absent.'),
  allocationTimestamp: pointer(5, time, 'When it was allocated.', { gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus' }),
}))
