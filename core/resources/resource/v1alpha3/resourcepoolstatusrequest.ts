import { atomicList, field, int32, int64, keyedList, message, pointer, required, requiredPointer, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { Condition } from '../../meta/condition.ts'
import { ObjectMeta } from '../../meta/objectmeta.ts'
import { resourcePoolStatusRequestColumns } from '../columns.ts'
import { validatePoolRequest, validatePoolRequestStatus } from '../pool-status-validation.ts'

export const PoolStatus = message('PoolStatus', 'State of a pool.', () => ({
  driver: required(1, string, 'Driver of the pool.', { omitEmpty: true }),
  poolName: required(2, string, 'Name of the pool.', { omitEmpty: true }),
  generation: required(9, int64, 'Generation of the evaluated pool.'),
  resourceSliceCount: pointer(8, int32, 'Number of its slices.'),
  totalDevices: pointer(4, int32, 'Devices in total.'),
  allocatedDevices: pointer(5, int32, 'Devices that are allocated.'),
  availableDevices: pointer(6, int32, 'Devices that can be allocated.'),
  unavailableDevices: pointer(7, int32, 'Devices that cannot be allocated, though they are free.'),
  nodeName: pointer(3, string, 'Node of the pool, if it belongs to one.'),
  validationError: pointer(10, string, 'Why the pool could not be counted.'),
}))

export const ResourcePoolStatusRequestSpec = message('ResourcePoolStatusRequestSpec', 'The requested pools; cannot be changed.', () => ({
  driver: required(1, string, 'Driver of the pools.'),
  poolName: pointer(2, string, 'Name of one pool; all of the driver when absent.'),
  limit: pointer(3, int32, 'Greatest number of pools to return.', { default: 100 }),
}))

export const ResourcePoolStatusRequestStatus = message('ResourcePoolStatusRequestStatus', 'The answer.', () => ({
  poolCount: requiredPointer(6, int32, 'Pools that match, returned or not.', { omitEmpty: true }),
  pools: field(2, atomicList(PoolStatus), 'State of the pools.'),
  conditions: keyedList(3, Condition, 'type', 'Complete, or Failed.'),
}))

export const ResourcePoolStatusRequest = message('ResourcePoolStatusRequest', 'Requests the state of device pools once.', () => ({
  metadata: required(1, ObjectMeta, "Standard object's metadata: name, labels and what else every object carries.", { omitEmpty: true }),
  spec: required(2, ResourcePoolStatusRequestSpec, 'Desired state.'),
  status: pointer(3, ResourcePoolStatusRequestStatus, 'Last observed state; written by controllers through the status subresource.'),
})).with({ typeMeta: true })

export const resourcePoolStatusRequests = resource({
  group: 'resource.<domain>',
  version: 'v1alpha3',
  names: ['resourcepoolstatusrequests', 'resourcepoolstatusrequest'],
  namespaced: false,
  schema: ResourcePoolStatusRequest,
  columns: resourcePoolStatusRequestColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.36', deprecated: '1.39', removed: '1.42' },
  status: true,
  statusKeeps: 'metadata',
  updateNeedsVersion: true,
  strategy: { validate: validatePoolRequest, validateStatus: validatePoolRequestStatus },
})
