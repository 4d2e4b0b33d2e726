import { field, message, pointer, string } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { Variable } from '../match.ts'
import { policyFields, mutatingAdmissionPolicies as stable } from '../mutatingadmissionpolicy.ts'
import { validateMutatingSpec, validatePolicyStart } from '../policy-validation.ts'
import { MatchResources } from './match.ts'

export const MutatingAdmissionPolicySpec = message(
  'MutatingAdmissionPolicySpec',
  'What a policy changes, and when.',
  policyFields(
    MatchResources,
    Variable,
    pointer(5, string, 'After an error: Fail or Ignore.', { goType: 'v1beta1.FailurePolicyType', openEnum: ['Ignore', 'Fail'] }),
  ),
).with({
  defaults(spec) {
    spec.failurePolicy ??= 'Fail'
  },
  validateFirst: (spec, path, errors) => validatePolicyStart(spec, path, errors),
  validate: (spec, path, errors) => validateMutatingSpec(spec, path, errors),
})

export const MutatingAdmissionPolicy = object('MutatingAdmissionPolicy', 'Changes objects on their way in, by CEL expressions.', () => ({
  spec: field(2, MutatingAdmissionPolicySpec, 'Desired state.'),
}))

export const mutatingAdmissionPolicies = otherVersion(stable, {
  version: 'v1beta1',
  schema: MutatingAdmissionPolicy,
  lifecycle: {
    introduced: '1.34',
    deprecated: '1.37',
    removed: '1.40',
    replacement: { group: 'admissionregistration.<domain>', version: 'v1', kind: 'MutatingAdmissionPolicy' },
  },
  servedByDefault: false,
})
