import { field, message } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { MatchResources } from '../match.ts'
import { bindingFields, mutatingAdmissionPolicyBindings as stable } from '../mutatingadmissionpolicybinding.ts'
import { ParamRef } from './match.ts'

export const MutatingAdmissionPolicyBindingSpec = message(
  'MutatingAdmissionPolicyBindingSpec',
  'Where a policy holds, and with which parameters.',
  bindingFields(ParamRef, MatchResources),
)

export const MutatingAdmissionPolicyBinding = object('MutatingAdmissionPolicyBinding', 'Puts a mutating policy into force.', () => ({
  spec: field(2, MutatingAdmissionPolicyBindingSpec, 'Desired state.'),
}))

export const mutatingAdmissionPolicyBindings = otherVersion(stable, {
  version: 'v1alpha1',
  schema: MutatingAdmissionPolicyBinding,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  servedByDefault: false,
})
