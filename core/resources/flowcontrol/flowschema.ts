import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import { atomicList, bool, field, int32, keyedList, list, message, pointer, required, string, time } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { asJson } from '../validation.ts'
import { flowSchemaColumns } from './columns.ts'
import { ConditionStatus } from './enums.ts'
import { mandatorySchemas } from './mandatory.ts'
import { validateConditions, validateFlowSchemaSpec } from './validation.ts'

export const FlowDistinguisherMethod = message('FlowDistinguisherMethod', 'What distinguishes the flows of a schema.', () => ({
  type: required(1, string, 'ByUser or ByNamespace.', { goType: 'v1.FlowDistinguisherMethodType', openEnum: ['ByUser', 'ByNamespace'] }),
}))

export const PriorityLevelConfigurationReference = message('PriorityLevelConfigurationReference', 'Points at a priority level.', () => ({
  name: required(1, string, 'Name of the level.'),
}))

export const UserSubject = message('UserSubject', 'A user by name.', () => ({
  name: required(1, string, 'Name of the user; * for all.'),
}))

export const GroupSubject = message('GroupSubject', 'A group by name.', () => ({
  name: required(1, string, 'Name of the group; * for all.'),
}))

export const ServiceAccountSubject = message('ServiceAccountSubject', 'A service account by name.', () => ({
  namespace: required(1, string, 'Namespace of the account.'),
  name: required(2, string, 'Name of the account; * for all of the namespace.'),
}))

export const Subject = message('Subject', 'Who sends a request; the member named by kind is set.', () => ({
  kind: required(1, string, 'User, Group or ServiceAccount.', {
    goType: 'v1.SubjectKind',
    openEnum: ['User', 'Group', 'ServiceAccount'],
  }),
  user: pointer(2, UserSubject, 'A user.'),
  group: pointer(3, GroupSubject, 'A group.'),
  serviceAccount: pointer(4, ServiceAccountSubject, 'A service account.'),
})).with({
  unions: [{ discriminator: 'kind', members: ['group', 'serviceAccount', 'user'] }],
})

export const ResourcePolicyRule = message('ResourcePolicyRule', 'Matches requests for resources.', () => ({
  verbs: required(1, list(string, { listType: 'set' }), 'Verbs; * for all.'),
  apiGroups: required(2, list(string, { listType: 'set' }), 'API groups; * for all.'),
  resources: required(3, list(string, { listType: 'set' }), 'Resources, with /<subresource> for subresources; * for all.'),
  clusterScope: field(4, bool, 'Matches requests that name no namespace.'),
  namespaces: field(5, list(string, { listType: 'set' }), 'Namespaces; * for all.', { omitEmpty: false }),
}))

export const NonResourcePolicyRule = message('NonResourcePolicyRule', 'Matches requests for non-resource paths.', () => ({
  verbs: required(1, list(string, { listType: 'set' }), 'HTTP methods in lower case; * for all.'),
  nonResourceURLs: required(6, list(string, { listType: 'set' }), 'Paths, with * at the end for all below.'),
}))

export const PolicyRulesWithSubjects = message('PolicyRulesWithSubjects', 'Matches requests by sender and target.', () => ({
  subjects: required(1, atomicList(Subject), 'Users, groups and service accounts, of which one must match.'),
  resourceRules: field(2, atomicList(ResourcePolicyRule), 'Requests for resources.'),
  nonResourceRules: field(3, atomicList(NonResourcePolicyRule), 'Requests for non-resource paths.'),
}))

export const FlowSchemaSpec = message('FlowSchemaSpec', 'Which requests go to which priority level.', () => ({
  priorityLevelConfiguration: required(1, PriorityLevelConfigurationReference, 'Level that handles the requests.'),
  matchingPrecedence: field(2, int32, 'Order among schemas, from 1 to 10000; the least one that matches wins.', { omitEmpty: false }),
  distinguisherMethod: pointer(3, FlowDistinguisherMethod, 'What distinguishes flows; absent for a single flow.'),
  rules: field(4, atomicList(PolicyRulesWithSubjects), 'Requests that belong here; one rule is enough.'),
})).with({
  defaults(spec) {
    spec.matchingPrecedence ||= 1000
  },
  byKind: true,
})

export const FlowSchemaCondition = message('FlowSchemaCondition', 'An observation about a flow schema.', () => ({
  type: field(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.FlowSchemaConditionType' }),
  status: field(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  lastTransitionTime: field(3, time, 'When the status last changed from one value to another.'),
  reason: field(4, string, 'One word in CamelCase that programs can match.'),
  message: field(5, string, 'Details for people.'),
}))

export const FlowSchemaStatus = message('FlowSchemaStatus', 'State of a flow schema.', () => ({
  conditions: keyedList(1, FlowSchemaCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const FlowSchema = object(
  'FlowSchema',
  'Sorts requests into flows of a priority level.',
  specAndStatus(FlowSchemaSpec, FlowSchemaStatus),
)

export const flowSchemas = resource({
  group: 'flowcontrol.apiserver.<domain>',
  version: 'v1',
  names: ['flowschemas', 'flowschema'],
  metadataOnUpdate: ['object'],
  namespaced: false,
  schema: FlowSchema,
  columns: flowSchemaColumns,
  lifecycle: { introduced: '1.29' },
  status: true,
  statusKeeps: 'metadata',
  generation: 'spec',
  strategy: {
    rowOrder: ({ spec }) => spec?.matchingPrecedence ?? 0,
    validate({ metadata, spec }, errors) {
      const name = metadata?.name ?? ''
      const path = FieldPath.of('spec')
      if (spec) validateFlowSchemaSpec(name, spec, path, errors)
      const fixed = Object.hasOwn(mandatorySchemas, name) ? mandatorySchemas[name] : undefined
      if (fixed && !equal(asJson(spec), fixed)) {
        errors.invalid(path, asJson(spec), `spec of '${name}' must equal the fixed value`)
      }
    },
    validateStatus: ({ status }, _old, errors) => validateConditions(status?.conditions ?? [], errors),
  },
})
