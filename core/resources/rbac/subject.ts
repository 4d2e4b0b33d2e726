import { field, message, required, string } from '../../schema/model.ts'
import { groupName } from './validation.ts'

export const Subject = message('Subject', 'A user, group or service account that gets permissions.', () => ({
  kind: required(1, string, 'User, Group or ServiceAccount.'),
  apiGroup: field(2, string, "Group of the subject's kind; empty for service accounts."),
  name: required(3, string, 'Name of the subject.'),
  namespace: field(4, string, 'Namespace of a service account.'),
})).with({
  atomic: true,
  defaults(subject, { platform }) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= platform.name(groupName)
  },
})

export const RoleRef = message('RoleRef', 'Points at a role.', () => ({
  apiGroup: field(1, string, "Group of the role's kind.", { omitEmpty: false }),
  kind: required(2, string, 'Role or ClusterRole.'),
  name: required(3, string, 'Name of the role.'),
})).with({
  atomic: true,
  defaults(role, { platform }) {
    role.apiGroup ||= platform.name(groupName)
  },
})
