import { field, int64, list, message, pointer, required, string, time } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { storageVersionColumns } from './columns.ts'

export const ServerStorageVersion = message('ServerStorageVersion', 'Versions of a resource at one server.', () => ({
  apiServerID: required(1, string, 'Identifier of the server.', { omitEmpty: true }),
  encodingVersion: required(2, string, 'Version in which it stores objects.', { omitEmpty: true }),
  decodableVersions: required(3, list(string, { listType: 'set' }), 'Versions that it can read from the store.', { omitEmpty: true }),
  servedVersions: field(4, list(string, { listType: 'set' }), 'Versions that it serves.'),
}))

export const StorageVersionSpec = message('StorageVersionSpec', 'Empty.', {})

export const StorageVersionCondition = message('StorageVersionCondition', 'An observation about a storage version.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v1alpha1.StorageVersionConditionType',
    openEnum: ['AllEncodingVersionsEqual'],
  }),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1alpha1.ConditionStatus', openEnum: ['True', 'False', 'Unknown'] }),
  observedGeneration: field(3, int64, 'Generation of the spec that the condition speaks about.'),
  lastTransitionTime: field(4, time, 'When the status last changed from one value to another.'),
  reason: required(5, string, 'One word in CamelCase that programs can match.'),
  message: required(6, string, 'Details for people.', { omitEmpty: true }),
}))

export const StorageVersionStatus = message('StorageVersionStatus', 'Versions of a resource at all servers.', () => ({
  storageVersions: field(1, list(ServerStorageVersion, { listType: 'map', keys: ['apiServerID'] }), 'Versions by server.'),
  commonEncodingVersion: pointer(2, string, 'Version that all servers store; absent when they differ.'),
  conditions: field(3, list(StorageVersionCondition, { listType: 'map', keys: ['type'] }), 'Latest observations, one per condition type.'),
}))

export const StorageVersion = message('StorageVersion', 'In which version servers store a resource; named <group>.<resource>.', () => ({
  metadata: required(1, ObjectMeta, "Standard object's metadata: name, labels and what else every object carries.", { omitEmpty: true }),
  spec: field(2, StorageVersionSpec, 'Desired state.', { omitEmpty: false }),
  status: field(3, StorageVersionStatus, 'Last observed state; written by controllers through the status subresource.', {
    omitEmpty: false,
  }),
})).with({ typeMeta: true })

export const storageVersions = resource({
  group: 'internal.apiserver.<domain>',
  version: 'v1alpha1',
  names: ['storageversions', 'storageversion'],
  anyFinalizers: true,
  namespaced: false,
  schema: StorageVersion,
  columns: storageVersionColumns,
  lifecycle: { introduced: '1.20' },
  status: true,
  statusKeeps: 'metadata',
  updateNeedsVersion: true,
})
