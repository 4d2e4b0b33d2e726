import { field, list, message, pointer, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { mutatingAdmissionPolicyColumns } from '../columns.ts'
import { ReinvocationPolicyType } from '../enums.ts'
import { validateMutatingExpressions } from '../expression-validation.ts'
import { MatchCondition, ParamKind, Variable } from '../match.ts'
import { Mutation } from '../mutatingadmissionpolicy.ts'
import { validateMutatingSpec, validatePolicyStart } from '../policy-validation.ts'
import { staticNameWarnings, validateStaticName } from '../static-name.ts'
import { MatchResources } from './match.ts'

export const MutatingAdmissionPolicySpec = message(
  'MutatingAdmissionPolicySpec',
  'What a policy changes, and when.',
  {
    paramKind: pointer(1, ParamKind, 'Kind of its parameters; absent for none.'),
    matchConstraints: pointer(2, MatchResources, 'Requests that it applies to.'),
    variables: field(3, list(Variable, { listType: 'atomic' }), 'Values for the expressions; a later one can use those before.'),
    mutations: field(4, list(Mutation, { listType: 'atomic' }), 'Changes, applied in order.'),
    failurePolicy: pointer(5, string, 'After an error: Fail or Ignore.', {
      goType: 'v1beta1.FailurePolicyType',
      openEnum: ['Ignore', 'Fail'],
    }),
    matchConditions: field(6, list(MatchCondition, { listType: 'map', keys: ['name'] }), 'Conditions that must all be met.', {
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    }),
    reinvocationPolicy: field(7, string, 'Never, or IfNeeded to run again after later changes.', {
      goType: 'v1.ReinvocationPolicyType',
      enum: ReinvocationPolicyType,
    }),
  },
  {
    defaults(spec) {
      spec.failurePolicy ??= 'Fail'
    },
    validateFirst: (spec, path, errors) => validatePolicyStart(spec, path, errors),
    validate: (spec, path, errors) => validateMutatingSpec(spec, path, errors),
  },
)

export const MutatingAdmissionPolicy = object('MutatingAdmissionPolicy', 'Changes objects on their way in, by CEL expressions.', {
  spec: field(2, MutatingAdmissionPolicySpec, 'Desired state.'),
})

export const mutatingAdmissionPolicies = resource({
  group: 'admissionregistration.<domain>',
  version: 'v1beta1',
  kind: 'MutatingAdmissionPolicy',
  names: ['mutatingadmissionpolicies', 'mutatingadmissionpolicy'],
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: MutatingAdmissionPolicy,
  columns: mutatingAdmissionPolicyColumns,
  lifecycle: {
    introduced: '1.34',
    deprecated: '1.37',
    removed: '1.40',
    replacement: { group: 'admissionregistration.<domain>', version: 'v1', kind: 'MutatingAdmissionPolicy' },
  },
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: {
    validate(object, errors, context, old) {
      const { spec } = object
      if (spec) validateMutatingExpressions(spec, errors, context, old?.spec)
      if (old === undefined) validateStaticName(object, errors, context)
    },
    warnings: staticNameWarnings,
  },
})
