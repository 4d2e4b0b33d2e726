import { atomicList, bool, field, map, message, pointer, required, string } from '../../../schema/model.ts'
import { NodeSelector } from '../../core/affinity.ts'
import { DeviceAttribute, DeviceCapacity, DeviceCounterConsumption, DeviceTaint, NodeAllocatableResourceMapping } from '../device.ts'

export const BasicDevice = message('BasicDevice', 'A device, apart from its name.', () => ({
  attributes: field(1, map(DeviceAttribute), 'Attributes by name.', { goType: 'map[.QualifiedName].DeviceAttribute' }),
  capacity: field(2, map(DeviceCapacity), 'Capacities by name.'),
  consumesCounters: field(3, atomicList(DeviceCounterConsumption), 'What it consumes from counters of the pool.', {
    gate: 'DRAPartitionableDevices',
  }),
  nodeName: pointer(4, string, 'Node that can reach it, if set per device.', { gate: 'DRAPartitionableDevices' }),
  nodeSelector: pointer(5, NodeSelector, 'Nodes that can reach it, if set per device.'),
  allNodes: pointer(6, bool, 'Every node can reach it, if set per device.', { gate: 'DRAPartitionableDevices' }),
  taints: field(7, atomicList(DeviceTaint), 'Taints of the device.', { gate: 'DRADeviceTaints' }),
  bindsToNode: pointer(8, bool, 'An allocation is limited to the node that was chosen.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  bindingConditions: field(9, atomicList(string), 'Conditions that must be true before pods are bound.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  bindingFailureConditions: field(10, atomicList(string), 'Conditions of which any true one undoes the allocation.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  allowMultipleAllocations: pointer(11, bool, 'Several claims can share it.', { gate: 'DRAConsumableCapacity' }),
  nodeAllocatableResourceMappings: field(12, map(NodeAllocatableResourceMapping), 'Resources of the node that it counts towards.', {
    goType: 'map[v1.ResourceName].NodeAllocatableResourceMapping',
    gate: 'DRANodeAllocatableResources',
  }),
}))

export const Device = message('Device', 'A device that can be allocated.', () => ({
  name: required(1, string, 'DNS label, unique in the pool.'),
  basic: pointer(2, BasicDevice, 'The device.'),
}))
