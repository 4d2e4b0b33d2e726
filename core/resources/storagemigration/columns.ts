import { nameColumn, textColumn } from '../cells.ts'

interface MigrationRow {
  readonly spec?:
    | { readonly resource?: { readonly group?: string | undefined; readonly resource?: string | undefined } | undefined }
    | undefined
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined } | undefined
}

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
