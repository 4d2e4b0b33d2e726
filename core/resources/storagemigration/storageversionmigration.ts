import { field, keyedList, message, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { Condition } from '../meta/condition.ts'
import { GroupResource } from '../meta/group-version.ts'
import { object } from '../meta/object.ts'
import { storageVersionMigrationColumns } from './columns.ts'
import { validateMigration, validateMigrationStatus } from './migration-validation.ts'

export const StorageVersionMigrationSpec = message('StorageVersionMigrationSpec', 'What is migrated; cannot be changed.', () => ({
  resource: required(1, GroupResource, 'The resource.'),
}))

export const StorageVersionMigrationStatus = message('StorageVersionMigrationStatus', 'State of a migration.', () => ({
  conditions: keyedList(1, Condition, 'type', 'Running, Succeeded or Failed.'),
  resourceVersion: field(2, string, 'Version up to which objects are rewritten.'),
}))

export const StorageVersionMigration = object('StorageVersionMigration', 'Rewrites stored objects in the present storage version.', () => ({
  spec: field(2, StorageVersionMigrationSpec, 'Desired state.', { immutable: true }),
  status: field(3, StorageVersionMigrationStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const storageVersionMigrations = resource({
  group: 'storagemigration.<domain>',
  version: 'v1beta1',
  names: ['storageversionmigrations', 'storageversionmigration'],
  anyFinalizers: true,
  gate: 'StorageVersionMigrator',
  namespaced: false,
  schema: StorageVersionMigration,
  columns: storageVersionMigrationColumns,
  lifecycle: { introduced: '1.35', deprecated: '1.38', removed: '1.41' },
  status: true,
  statusKeeps: 'metadata',
  updateNeedsVersion: true,
  strategy: { validate: validateMigration, validateStatus: validateMigrationStatus },
})
