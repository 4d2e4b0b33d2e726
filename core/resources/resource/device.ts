import { timestamp } from '../../schema/formats/time.ts'
import {
  atomicList,
  bool,
  field,
  int64,
  map,
  message,
  pointer,
  quantity,
  required,
  requiredPointer,
  string,
  time,
} from '../../schema/model.ts'
import { NodeSelector } from '../core/affinity.ts'
import { DeviceTaintEffect } from './enums.ts'

export const CapacityRequestPolicyRange = message('CapacityRequestPolicyRange', 'A range of amounts.', () => ({
  min: requiredPointer(1, quantity, 'Least amount.', { omitEmpty: true }),
  max: pointer(2, quantity, 'Greatest amount.'),
  step: pointer(3, quantity, 'Amounts are the least one plus multiples of this.'),
}))

export const CapacityRequestPolicy = message('CapacityRequestPolicy', 'Amounts in which a capacity can be requested.', () => ({
  default: pointer(1, quantity, 'Amount for requests that name none.', { omitEmpty: false }),
  validValues: field(3, atomicList(quantity), 'Amounts that are possible; others are rounded up.'),
  validRange: pointer(4, CapacityRequestPolicyRange, 'Range of amounts; excludes validValues.'),
}))

export const Counter = message('Counter', 'An amount of something that devices share.', () => ({
  value: required(1, quantity, 'The amount.'),
}))

export const DeviceAttribute = message('DeviceAttribute', 'Value of an attribute; one member is set.', () => ({
  int: pointer(2, int64, 'An integer.', { internalName: 'IntValue' }),
  bool: pointer(3, bool, 'True or false.', { internalName: 'BoolValue' }),
  string: pointer(4, string, 'Text, up to 64 characters.', { internalName: 'StringValue' }),
  version: pointer(5, string, 'A semantic version.', { internalName: 'VersionValue' }),
  ints: field(6, atomicList(int64), 'Several integers.', { internalName: 'IntValues', gate: 'DRAListTypeAttributes' }),
  bools: field(7, atomicList(bool), 'Several truth values.', {
    internalName: 'BoolValues',
    gate: 'DRAListTypeAttributes',
  }),
  strings: field(8, atomicList(string), 'Several texts.', {
    internalName: 'StringValues',
    gate: 'DRAListTypeAttributes',
  }),
  versions: field(9, atomicList(string), 'Several semantic versions.', {
    internalName: 'VersionValues',
    gate: 'DRAListTypeAttributes',
  }),
}))

export const DeviceCapacity = message('DeviceCapacity', 'A capacity of a device.', () => ({
  value: required(1, quantity, 'The amount.'),
  requestPolicy: pointer(2, CapacityRequestPolicy, 'Amounts in which it can be requested; the whole when absent.', {
    gate: 'DRAConsumableCapacity',
  }),
}))

export const DeviceCounterConsumption = message('DeviceCounterConsumption', 'What a device consumes from a set of counters.', () => ({
  counterSet: required(1, string, 'The set.'),
  counters: required(2, map(Counter), 'Amount by counter.', { omitEmpty: true }),
}))

export const DeviceTaint = message('DeviceTaint', 'Keeps claims off a device unless they tolerate it.', () => ({
  key: required(1, string, 'Key that tolerations name.'),
  value: field(2, string, 'Value that tolerations may name.'),
  effect: required(3, string, 'None, NoSchedule or NoExecute.', {
    goType: '.DeviceTaintEffect',
    publishedEnum: DeviceTaintEffect,
  }),
  timeAdded: pointer(4, time, 'When the taint was added.'),
})).with({
  defaults(taint, { now }) {
    // The unset time that a client gave stays.
    if (taint.timeAdded === undefined) taint.timeAdded = timestamp(now)
  },
})

export const NodeAllocatableResourceMapping = message(
  'NodeAllocatableResourceMapping',
  'How a device counts towards a resource of the node.',
  () => ({
    capacityKey: pointer(1, string, 'Capacity whose amount counts; the number of devices when absent.', { goType: '.QualifiedName' }),
    allocationMultiplier: pointer(2, quantity, 'Factor for the amount.'),
  }),
).with({
  defaults(mapping) {
    mapping.allocationMultiplier ??= '1'
  },
})

export const Device = message('Device', 'A device that can be allocated.', () => ({
  name: required(1, string, 'DNS label, unique in the pool.'),
  attributes: field(2, map(DeviceAttribute), 'Attributes by name.', { goType: 'map[.QualifiedName].DeviceAttribute' }),
  capacity: field(3, map(DeviceCapacity), 'Capacities by name.', { goType: 'map[.QualifiedName].DeviceCapacity' }),
  consumesCounters: field(4, atomicList(DeviceCounterConsumption), 'What it consumes from counters of the pool.', {
    gate: 'DRAPartitionableDevices',
  }),
  nodeName: pointer(5, string, 'Node that can reach it, if set per device.', { gate: 'DRAPartitionableDevices' }),
  nodeSelector: pointer(6, NodeSelector, 'Nodes that can reach it, if set per device.', { gate: 'DRAPartitionableDevices' }),
  allNodes: pointer(7, bool, 'Every node can reach it, if set per device.', { gate: 'DRAPartitionableDevices' }),
  taints: field(8, atomicList(DeviceTaint), 'Taints of the device.', { gate: 'DRADeviceTaints' }),
  bindsToNode: pointer(9, bool, 'An allocation is limited to the node that was chosen.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  bindingConditions: field(10, atomicList(string), 'Conditions that must be true before pods are bound.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  bindingFailureConditions: field(11, atomicList(string), 'Conditions of which any true one undoes the allocation.', {
    gate: 'DRADeviceBindingConditions,DRAResourceClaimDeviceStatus',
  }),
  allowMultipleAllocations: pointer(12, bool, 'Several claims can share it.', { gate: 'DRAConsumableCapacity' }),
  nodeAllocatableResourceMappings: field(13, map(NodeAllocatableResourceMapping), 'Resources of the node that it counts towards.', {
    goType: 'map[v1.ResourceName].NodeAllocatableResourceMapping',
    gate: 'DRANodeAllocatableResources',
  }),
}))
