import { atomicList, type Field, field, type Message, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { mutatingAdmissionPolicyColumns } from './columns.ts'
import { FailurePolicyType, ReinvocationPolicyType } from './enums.ts'
import { validateMutatingExpressions } from './expression-validation.ts'
import { MatchResources, matchConditions, ParamKind, Variable } from './match.ts'
import { validateMutatingSpec } from './policy-validation.ts'
import { staticNameWarnings, validateStaticName } from './static-name.ts'

export const ApplyConfiguration = message('ApplyConfiguration', 'A change that is merged by server-side apply.', () => ({
  expression: field(1, string, 'Expression that returns the fields to apply.'),
}))

export const JSONPatch = message('JSONPatch', 'A change as a JSON patch.', () => ({
  expression: field(1, string, 'Expression that yields the patch operations.'),
}))

export const Mutation = message('Mutation', 'A change of the object; the member named by patchType is set.', () => ({
  patchType: required(2, string, 'ApplyConfiguration or JSONPatch.', {
    goType: 'v1.PatchType',
    publishedEnum: ['ApplyConfiguration', 'JSONPatch'],
  }),
  applyConfiguration: pointer(3, ApplyConfiguration, 'Fields to merge.'),
  jsonPatch: pointer(4, JSONPatch, 'Patch operations.', { internalName: 'JSONPatch' }),
}))

/** The fields of the spec, in the types of a version. */
export const policyFields = <Match extends Message, Value extends Message, Failure extends Field>(
  matchConstraints: Match,
  variable: Value,
  failurePolicy: Failure,
) => ({
  paramKind: pointer(1, ParamKind, 'Kind of its parameters; absent for none.'),
  matchConstraints: pointer(2, matchConstraints, 'Requests that it applies to.'),
  variables: field(3, atomicList(variable), 'Values for the expressions; a later one can use those before.'),
  mutations: field(4, atomicList(Mutation), 'Changes, applied in order.'),
  failurePolicy,
  matchConditions: matchConditions(6),
  reinvocationPolicy: field(7, string, 'Never, or IfNeeded to run again after later changes.', {
    goType: 'v1.ReinvocationPolicyType',
    enum: ReinvocationPolicyType,
  }),
})

export const MutatingAdmissionPolicySpec = message(
  'MutatingAdmissionPolicySpec',
  'What a policy changes, and when.',
  policyFields(
    MatchResources,
    Variable,
    pointer(5, string, 'After an error: Fail or Ignore.', { goType: 'v1.FailurePolicyType', publishedEnum: FailurePolicyType }),
  ),
).with({
  defaults(spec) {
    spec.failurePolicy ??= 'Fail'
  },
  validate: (spec, path, errors) => validateMutatingSpec(spec, path, errors),
})

export const MutatingAdmissionPolicy = object('MutatingAdmissionPolicy', 'Changes objects on their way in, by CEL expressions.', () => ({
  spec: field(2, MutatingAdmissionPolicySpec, 'Desired state.'),
}))

export const mutatingAdmissionPolicies = resource({
  group: 'admissionregistration.<domain>',
  version: 'v1',
  names: ['mutatingadmissionpolicies', 'mutatingadmissionpolicy'],
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: MutatingAdmissionPolicy,
  columns: mutatingAdmissionPolicyColumns,
  storageVersion: 'admissionregistration.<domain>/v1beta1',
  lifecycle: { introduced: '1.36' },
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
