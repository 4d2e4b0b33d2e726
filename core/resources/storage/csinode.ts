import { atomicList, field, int32, list, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { csiNodeColumns } from './columns.ts'
import { validateNode, validateNodeUpdate } from './csi-validation.ts'

export const VolumeNodeResources = message('VolumeNodeResources', 'Bounds for volumes on a node.', () => ({
  count: pointer(1, int32, 'Greatest number of volumes; unbounded when absent.'),
}))

export const CSINodeDriver = message('CSINodeDriver', 'A driver on a node.', () => ({
  name: required(1, string, 'Name of the driver.'),
  nodeID: required(2, string, "Driver's identifier of the node."),
  topologyKeys: field(3, atomicList(string), 'Node labels that describe where volumes can be reached.', {
    omitEmpty: false,
  }),
  allocatable: pointer(4, VolumeNodeResources, 'Bounds for its volumes.'),
}))

export const CSINodeSpec = message('CSINodeSpec', 'Drivers on a node.', () => ({
  drivers: required(1, list(CSINodeDriver, { listType: 'map', keys: ['name'] }), 'The drivers.', {
    patchStrategy: 'merge',
    patchMergeKey: 'name',
  }),
}))

export const CSINode = object('CSINode', "Storage drivers of a node; it has the node's name.", () => ({
  spec: required(2, CSINodeSpec, 'Desired state.'),
}))

export const csiNodes = resource({
  group: 'storage.<domain>',
  version: 'v1',
  names: ['csinodes', 'csinode'],
  metadataOnUpdate: ['object'],
  namespaced: false,
  schema: CSINode,
  columns: csiNodeColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.17' },
  updateNeedsVersion: true,
  strategy: { validate: validateNode, validateUpdate: validateNodeUpdate },
})
