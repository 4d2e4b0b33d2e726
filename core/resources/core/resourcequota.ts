import { atomicList, field, message, pointer, required, string, withFacets } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { resourceQuotaColumns } from './columns.ts'
import { ResourceQuotaScope } from './enums.ts'
import { objectValidation } from './object-validation.ts'
import { validateResourceQuota, validateResourceQuotaStatus, validateResourceQuotaUpdate } from './quota-validation.ts'
import { resourceList } from './resource-list.ts'
import { warnOfRequestsBeyondLimits } from './resourcequota-warnings.ts'

export const ScopedResourceSelectorRequirement = message(
  'ScopedResourceSelectorRequirement',
  'One comparison of a quota scope with a set of values.',
  () => ({
    scopeName: required(1, string, 'Scope that is compared.', { goType: 'v1.ResourceQuotaScope', enum: ResourceQuotaScope }),
    operator: required(2, string, 'In, NotIn, Exists or DoesNotExist.', {
      goType: 'v1.ScopeSelectorOperator',
      enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
    }),
    values: field(3, atomicList(string), 'Operands; none for Exists and DoesNotExist.'),
  }),
)

export const ScopeSelector = message('ScopeSelector', 'Requirements that must all hold.', () => ({
  matchExpressions: field(1, atomicList(ScopedResourceSelectorRequirement), 'The requirements.'),
})).with({ atomic: true })

export const ResourceQuotaSpec = message('ResourceQuotaSpec', 'What a quota limits.', () => ({
  hard: field(1, resourceList, 'Greatest total of each resource.', { goType: 'v1.ResourceList' }),
  scopes: field(2, atomicList(withFacets(string, { enum: ResourceQuotaScope })), 'Only objects to which all of these apply are counted.', {
    goType: 'v1.ResourceQuotaScope',
  }),
  scopeSelector: pointer(3, ScopeSelector, 'Like scopes, with operators.'),
}))

export const ResourceQuotaStatus = message('ResourceQuotaStatus', 'Use of a quota.', () => ({
  hard: field(1, resourceList, 'Limits that are enforced.', { goType: 'v1.ResourceList' }),
  used: field(2, resourceList, 'Present totals.', { goType: 'v1.ResourceList' }),
}))

export const ResourceQuota = object(
  'ResourceQuota',
  'Limits what the objects of a namespace use together.',
  specAndStatus(ResourceQuotaSpec, ResourceQuotaStatus),
)

export const resourceQuotas = resource({
  group: '',
  version: 'v1',
  names: ['resourcequotas', 'resourcequota', 'quota'],
  schema: ResourceQuota,
  columns: resourceQuotaColumns,
  returnsDeleted: true,
  strategy: {
    validate: objectValidation(validateResourceQuota),
    validateUpdate: validateResourceQuotaUpdate,
    validateStatus: validateResourceQuotaStatus,
    warnings: warnOfRequestsBeyondLimits,
  },
  lifecycle: { introduced: '1.0' },
  status: true,
})
