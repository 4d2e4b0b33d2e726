import { atomicList, bool, field, message, pointer, required, string } from '../../../schema/model.ts'
import { NodeSelector } from '../../core/affinity.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { CounterSet, ResourcePool } from '../resourceslice.ts'
import { resourceSlices as newer } from '../v1beta2/resourceslice.ts'
import { sliceConversion } from './conversion.ts'
import { Device } from './device.ts'

export const ResourceSliceSpec = message('ResourceSliceSpec', 'Devices of a pool, or a part of them.', () => ({
  driver: required(1, string, 'Driver that publishes them; cannot be changed.'),
  pool: required(2, ResourcePool, 'The pool.'),
  nodeName: field(3, string, 'Node that can reach them; cannot be changed.'),
  nodeSelector: pointer(4, NodeSelector, 'Nodes that can reach them.'),
  allNodes: field(5, bool, 'Every node can reach them.'),
  devices: field(6, atomicList(Device), 'The devices.'),
  perDeviceNodeSelection: pointer(7, bool, 'Each device says which nodes can reach it.', { gate: 'DRAPartitionableDevices' }),
  sharedCounters: field(8, atomicList(CounterSet), 'Counters that devices share; excludes devices.', {
    gate: 'DRAPartitionableDevices',
  }),
}))

export const ResourceSlice = object('ResourceSlice', 'Devices that a driver publishes.', () => ({
  spec: required(2, ResourceSliceSpec, 'Desired state.'),
}))

export const resourceSlices = otherVersion(newer, {
  version: 'v1beta1',
  schema: ResourceSlice,
  conversion: sliceConversion,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
})
