import { field, list, message, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { bindingColumns } from './columns.ts'
import { RoleRef, Subject } from './subject.ts'
import { validateBinding, validateRoleRefUpdate } from './validation.ts'

export const ClusterRoleBinding = message(
  'ClusterRoleBinding',
  'Grants a cluster role everywhere.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    subjects: field(2, list(Subject, { listType: 'atomic' }), 'Who gets the permissions.'),
    roleRef: required(3, RoleRef, 'The role; cannot be changed.'),
  },
  { typeMeta: true },
)

export const clusterRoleBindings = resource({
  group: 'rbac.authorization.<domain>',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  names: ['clusterrolebindings', 'clusterrolebinding'],
  namespaced: false,
  schema: ClusterRoleBinding,
  columns: bindingColumns,
  lifecycle: { introduced: '1.8' },
  nameFormat: 'pathSegment',
  createOnUpdate: true,
  strategy: {
    validate: (binding, errors, context) => validateBinding(binding, { roles: ['ClusterRole'], namespaced: false }, errors, context),
    validateUpdate: validateRoleRefUpdate,
  },
})
