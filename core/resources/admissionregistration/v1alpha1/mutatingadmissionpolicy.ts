import { field, message, pointer, string } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { FailurePolicyType } from '../enums.ts'
import { MatchResources } from '../match.ts'
import { policyFields, mutatingAdmissionPolicies as stable } from '../mutatingadmissionpolicy.ts'
import { Variable } from './match.ts'

export const MutatingAdmissionPolicySpec = message(
  'MutatingAdmissionPolicySpec',
  'What a policy changes, and when.',
  policyFields(
    MatchResources,
    Variable,
    pointer(5, string, 'After an error: Fail or Ignore.', { goType: 'v1alpha1.FailurePolicyType', enum: FailurePolicyType }),
  ),
).with({
  defaults(spec) {
    spec.failurePolicy ??= 'Fail'
  },
})

export const MutatingAdmissionPolicy = object('MutatingAdmissionPolicy', 'Changes objects on their way in, by CEL expressions.', () => ({
  spec: field(2, MutatingAdmissionPolicySpec, 'Desired state.'),
}))

export const mutatingAdmissionPolicies = otherVersion(stable, {
  version: 'v1alpha1',
  schema: MutatingAdmissionPolicy,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  servedByDefault: false,
})
