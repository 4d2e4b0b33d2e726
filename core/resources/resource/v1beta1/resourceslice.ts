import { bool, field, list, message, pointer, required, string } from '../../../schema/model.ts'
import { NodeSelector } from '../../core/affinity.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { resourceSliceColumns } from '../columns.ts'
import { CounterSet, ResourcePool, unselectableSlice } from '../resourceslice.ts'
import { sliceConversion } from './conversion.ts'
import { Device } from './device.ts'

export const ResourceSliceSpec = message('ResourceSliceSpec', 'Devices of a pool, or a part of them.', {
  driver: required(1, string, 'Driver that publishes them; cannot be changed.'),
  pool: required(2, ResourcePool, 'The pool.'),
  nodeName: field(3, string, 'Node that can reach them; cannot be changed.'),
  nodeSelector: pointer(4, NodeSelector, 'Nodes that can reach them.'),
  allNodes: field(5, bool, 'Every node can reach them.'),
  devices: field(6, list(Device, { listType: 'atomic' }), 'The devices.'),
  perDeviceNodeSelection: pointer(7, bool, 'Each device says which nodes can reach it.', { gate: 'DRAPartitionableDevices' }),
  sharedCounters: field(8, list(CounterSet, { listType: 'atomic' }), 'Counters that devices share; excludes devices.', {
    gate: 'DRAPartitionableDevices',
  }),
})

export const ResourceSlice = object('ResourceSlice', 'Devices that a driver publishes.', {
  spec: required(2, ResourceSliceSpec, 'Desired state.'),
})

export const resourceSlices = resource({
  group: 'resource.<domain>',
  version: 'v1beta1',
  kind: 'ResourceSlice',
  names: ['resourceslices', 'resourceslice'],
  namespaced: false,
  schema: ResourceSlice,
  columns: resourceSliceColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  conversion: sliceConversion,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  generation: 'spec',
  selectable: { 'spec.nodeName': '.spec.nodeName', 'spec.driver': '.spec.driver' },
  unselectable: unselectableSlice,
})
