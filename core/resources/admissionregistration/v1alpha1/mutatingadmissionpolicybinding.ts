import { field, message, pointer, string } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { MatchResources } from '../match.ts'
import { mutatingAdmissionPolicyBindings as stable } from '../mutatingadmissionpolicybinding.ts'
import { ParamRef } from './match.ts'

export const MutatingAdmissionPolicyBindingSpec = message(
  'MutatingAdmissionPolicyBindingSpec',
  'Where a policy holds, and with which parameters.',
  {
    policyName: field(1, string, 'The policy.'),
    paramRef: pointer(2, ParamRef, 'Its parameters.'),
    matchResources: pointer(3, MatchResources, 'Limits the requests further.'),
  },
)

export const MutatingAdmissionPolicyBinding = object('MutatingAdmissionPolicyBinding', 'Puts a mutating policy into force.', {
  spec: field(2, MutatingAdmissionPolicyBindingSpec, 'Desired state.'),
})

export const mutatingAdmissionPolicyBindings = otherVersion(stable, {
  version: 'v1alpha1',
  schema: MutatingAdmissionPolicyBinding,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  servedByDefault: false,
})
