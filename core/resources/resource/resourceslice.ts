import { FieldPath } from '../../schema/field-path.ts'
import { atomicList, bool, field, type Infer, int64, map, message, pointer, required, string } from '../../schema/model.ts'
import { NodeSelector } from '../core/affinity.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { resourceSliceColumns } from './columns.ts'
import { Counter, Device } from './device.ts'
import { validateSlice } from './slice-validation.ts'

export const CounterSet = message('CounterSet', 'Counters that devices of a pool share.', () => ({
  name: required(1, string, 'DNS label, unique in the pool.'),
  counters: required(2, map(Counter), 'Counters by name.', { omitEmpty: true }),
}))

export const ResourcePool = message('ResourcePool', 'The pool that a slice is a part of.', () => ({
  name: required(1, string, 'Name of the pool; often that of the node.'),
  generation: required(2, int64, 'Grows with every change; slices with a smaller one are ignored.'),
  resourceSliceCount: required(3, int64, 'Number of slices in the pool.'),
}))

export const ResourceSliceSpec = message('ResourceSliceSpec', 'Devices of a pool, or a part of them.', () => ({
  driver: required(1, string, 'Driver that publishes them; cannot be changed.'),
  pool: required(2, ResourcePool, 'The pool.'),
  nodeName: pointer(3, string, 'Node that can reach them; cannot be changed.'),
  nodeSelector: pointer(4, NodeSelector, 'Nodes that can reach them.'),
  allNodes: pointer(5, bool, 'Every node can reach them.'),
  devices: field(6, atomicList(Device), 'The devices.'),
  perDeviceNodeSelection: pointer(7, bool, 'Each device says which nodes can reach it.', { gate: 'DRAPartitionableDevices' }),
  sharedCounters: field(8, atomicList(CounterSet), 'Counters that devices share; excludes devices.', {
    gate: 'DRAPartitionableDevices',
  }),
}))

export const ResourceSlice = object('ResourceSlice', 'Devices that a driver publishes.', () => ({
  spec: required(2, ResourceSliceSpec, 'Desired state.'),
}))

/** Names of drivers are compared as they are written. */
function driverWarnings({ spec: { driver } }: Infer<typeof ResourceSlice>): string[] {
  const told = JSON.stringify(driver)
  return driver === driver.toLowerCase() ? [] : [`spec.driver: driver names should be lowercase; ${told} contains uppercase characters`]
}

export const unselectableSlice = (label: string, apiVersion: string) =>
  `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${label}`

export const resourceSlices = resource({
  group: 'resource.<domain>',
  version: 'v1',
  names: ['resourceslices', 'resourceslice'],
  namespaced: false,
  schema: ResourceSlice,
  columns: resourceSliceColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.34' },
  generation: 'spec',
  strategy: {
    countsAsChange: 'dropped',
    validate: ({ spec }, errors, context, old) => validateSlice(spec, old?.spec, FieldPath.of('spec'), errors, context),
    warnings: driverWarnings,
  },
  selectable: { 'spec.nodeName': '.spec.nodeName', 'spec.driver': '.spec.driver' },
  unselectable: unselectableSlice,
})
