import { field } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { bindingSpec, mutatingAdmissionPolicyBindings as stable } from '../mutatingadmissionpolicybinding.ts'
import { MatchResources } from './match.ts'

export const MutatingAdmissionPolicyBindingSpec = bindingSpec(MatchResources)

export const MutatingAdmissionPolicyBinding = object('MutatingAdmissionPolicyBinding', 'Puts a mutating policy into force.', () => ({
  spec: field(2, MutatingAdmissionPolicyBindingSpec, 'Desired state.'),
}))

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
