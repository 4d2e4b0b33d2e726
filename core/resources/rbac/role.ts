import { atomicList, field } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { PolicyRule } from './rule.ts'
import { validateRules } from './validation.ts'

export const Role = object('Role', 'A set of permissions within a namespace.', () => ({
  rules: field(2, atomicList(PolicyRule), 'The permissions.', { omitEmpty: false }),
}))

export const roles = resource({
  group: 'rbac.authorization.<domain>',
  version: 'v1',
  names: ['roles', 'role'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  schema: Role,
  lifecycle: { introduced: '1.8' },
  nameFormat: 'pathSegment',
  createOnUpdate: true,
  strategy: { validate: ({ rules }, errors) => validateRules(rules, true, errors) },
})
