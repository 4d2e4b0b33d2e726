import type { Infer } from '../../schema/model.ts'
import { nameColumn, textColumn } from '../cells.ts'
import type { StorageVersionMigration } from './storageversionmigration.ts'

type MigrationRow = Infer<typeof StorageVersionMigration>

function resourceText({ spec }: MigrationRow): string {
  const { group, resource = '' } = spec?.resource ?? {}
  return group ? `${resource}.${group}` : resource
}

const states = ['Running', 'Failed', 'Succeeded']

export const storageVersionMigrationColumns = [
  textColumn('Name', nameColumn.doc, '.metadata.name'),
  textColumn('Resource', 'Resource that is migrated.', resourceText),
  textColumn<MigrationRow>(
    'Status',
    'State of the migration.',
    ({ status }) => status?.conditions?.findLast(({ type, status }) => status === 'True' && states.includes(type))?.type ?? 'Unknown',
  ),
]
