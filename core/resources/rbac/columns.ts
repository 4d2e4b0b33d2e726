import { ageColumn, nameColumn, textColumn, wide } from '../cells.ts'

interface BindingRow {
  readonly roleRef?: { readonly kind: string; readonly name: string } | undefined
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string | undefined }[] | undefined
}

const subjects = (kind: string) => (binding: BindingRow) =>
  (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ namespace = '', name }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ')

/** Columns of role bindings and cluster role bindings. */
export const bindingColumns = [
  nameColumn,
  textColumn<BindingRow>('Role', 'Role that is granted.', ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`),
  ageColumn,
  wide(textColumn('Users', 'Users to whom it is granted.', subjects('User'))),
  wide(textColumn('Groups', 'Groups to whom it is granted.', subjects('Group'))),
  wide(textColumn('ServiceAccounts', 'Service accounts to whom it is granted.', subjects('ServiceAccount'))),
]
