import { atomicList, field, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { bindingColumns } from './columns.ts'
import { RoleRef, Subject } from './subject.ts'
import { validateBinding, validateRoleRefUpdate } from './validation.ts'

export const RoleBinding = object('RoleBinding', 'Grants a role within its namespace.', () => ({
  subjects: field(2, atomicList(Subject), 'Who gets the permissions.'),
  roleRef: required(3, RoleRef, 'The role, or cluster role; cannot be changed.'),
}))

export const roleBindings = resource({
  group: 'rbac.authorization.<domain>',
  version: 'v1',
  names: ['rolebindings', 'rolebinding'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  schema: RoleBinding,
  columns: bindingColumns,
  lifecycle: { introduced: '1.8' },
  nameFormat: 'pathSegment',
  createOnUpdate: true,
  strategy: {
    validate: (binding, errors, context) => validateBinding(binding, { roles: ['Role', 'ClusterRole'], namespaced: true }, errors, context),
    validateUpdate: validateRoleRefUpdate,
  },
})
