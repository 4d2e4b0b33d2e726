import type { Infer } from '../../schema/model.ts'
import { ageColumn, nameColumn, textColumn, wide } from '../cells.ts'
import type { RoleBinding } from './rolebinding.ts'

type BindingRow = Infer<typeof RoleBinding>

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
