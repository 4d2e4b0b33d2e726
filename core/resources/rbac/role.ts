import { field, list, message } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { PolicyRule } from './rule.ts'
import { validateRules } from './validation.ts'

export const Role = message(
  'Role',
  'A set of permissions within a namespace.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    rules: field(2, list(PolicyRule, { listType: 'atomic' }), 'The permissions.', { omitEmpty: false }),
  },
  { typeMeta: true },
)

export const roles = resource({
  group: 'rbac.authorization.<domain>',
  version: 'v1',
  kind: 'Role',
  names: ['roles', 'role'],
  schema: Role,
  lifecycle: { introduced: '1.8' },
  nameFormat: 'pathSegment',
  createOnUpdate: true,
  strategy: { validate: ({ rules }, errors) => validateRules(rules, true, errors) },
})
