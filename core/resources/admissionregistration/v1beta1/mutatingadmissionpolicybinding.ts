import { field, message } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { ParamRef } from '../match.ts'
import { bindingFields, mutatingAdmissionPolicyBindings as stable } from '../mutatingadmissionpolicybinding.ts'
import { validateMutable, validatePolicyName } from '../policy-validation.ts'
import { MatchResources } from './match.ts'

export const MutatingAdmissionPolicyBindingSpec = message(
  'MutatingAdmissionPolicyBindingSpec',
  'Where a policy holds, and with which parameters.',
  bindingFields(ParamRef, MatchResources),
  {
    validateFirst: ({ policyName }, path, errors) => validatePolicyName(policyName, path, errors),
    validate({ matchResources }, path, errors) {
      validateMutable(matchResources, path.child('matchResources'), errors)
    },
  },
)

export const MutatingAdmissionPolicyBinding = object('MutatingAdmissionPolicyBinding', 'Puts a mutating policy into force.', {
  spec: field(2, MutatingAdmissionPolicyBindingSpec, 'Desired state.'),
})

export const mutatingAdmissionPolicyBindings = otherVersion(stable, {
  version: 'v1beta1',
  schema: MutatingAdmissionPolicyBinding,
  lifecycle: {
    introduced: '1.34',
    deprecated: '1.37',
    removed: '1.40',
    replacement: { group: 'admissionregistration.<domain>', version: 'v1', kind: 'MutatingAdmissionPolicyBinding' },
  },
  servedByDefault: false,
})
