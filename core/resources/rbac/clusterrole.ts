import { FieldErrors } from '../../schema/field-error.ts'
import { atomicList, field, message, pointer } from '../../schema/model.ts'
import { validateSelector } from '../core/scheduling-validation.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { PolicyRule } from './rule.ts'
import { validateRules } from './validation.ts'

export const AggregationRule = message('AggregationRule', 'How a cluster role is composed of others.', () => ({
  clusterRoleSelectors: field(1, atomicList(LabelSelector), 'Selectors of the cluster roles whose rules are combined.'),
})).with({
  validate({ clusterRoleSelectors = [] }, path, errors, context) {
    const at = path.child('clusterRoleSelectors')
    if (clusterRoleSelectors.length === 0) errors.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil')
    clusterRoleSelectors.forEach((selector, index) => {
      const own = new FieldErrors()
      validateSelector(selector, at.index(index), own, context)
      // The reference shows no value.
      if (own.count > 0) errors.invalid(at.index(index), null, 'invalid label selector.')
    })
  },
})

export const ClusterRole = object(
  'ClusterRole',
  'A set of permissions, cluster-wide or for use in any namespace.',
  () => ({
    rules: field(2, atomicList(PolicyRule), 'The permissions.', { omitEmpty: false }),
    aggregationRule: pointer(3, AggregationRule, 'Composes the rules from other cluster roles; a controller then writes them.'),
  }),
  { validateFirst: ({ rules }, _path, errors) => validateRules(rules, false, errors) },
)

export const clusterRoles = resource({
  group: 'rbac.authorization.<domain>',
  version: 'v1',
  names: ['clusterroles', 'clusterrole'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  namespaced: false,
  schema: ClusterRole,
  lifecycle: { introduced: '1.8' },
  nameFormat: 'pathSegment',
  createOnUpdate: true,
})
