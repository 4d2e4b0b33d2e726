import { atomicList, field, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { bindingColumns } from './columns.ts'
import { RoleRef, Subject } from './subject.ts'
import { validateBinding, validateRoleRefUpdate } from './validation.ts'

export const ClusterRoleBinding = object('ClusterRoleBinding', 'Grants a cluster role everywhere.', () => ({
  subjects: field(2, atomicList(Subject), 'Who gets the permissions.'),
  roleRef: required(3, RoleRef, 'The role; cannot be changed.'),
}))

export const clusterRoleBindings = resource({
  group: 'rbac.authorization.<domain>',
  version: 'v1',
  names: ['clusterrolebindings', 'clusterrolebinding'],
  metadataOnUpdate: ['object', 'lateUpdate'],
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
