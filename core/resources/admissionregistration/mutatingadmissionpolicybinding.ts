import { field, type Message, message, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { policyBindingColumns } from './columns.ts'
import { MatchResources, ParamRef } from './match.ts'
import { validateMutable, validatePolicyName } from './policy-validation.ts'
import { staticNameStrategy } from './static-name.ts'

/** The fields of the spec, in the types of a version. */
export const bindingFields = <Reference extends Message, Match extends Message>(paramRef: Reference, matchResources: Match) => ({
  policyName: field(1, string, 'The policy.'),
  paramRef: pointer(2, paramRef, 'Its parameters.'),
  matchResources: pointer(3, matchResources, 'Limits the requests further.'),
})

/** The spec, validated, in the match resources of a version. */
export const bindingSpec = (matchResources: typeof MatchResources) =>
  message(
    'MutatingAdmissionPolicyBindingSpec',
    'Where a policy holds, and with which parameters.',
    bindingFields(ParamRef, matchResources),
  ).with({
    validateFirst: ({ policyName }, path, errors) => validatePolicyName(policyName, path, errors),
    validate({ matchResources }, path, errors) {
      validateMutable(matchResources, path.child('matchResources'), errors)
    },
  })

export const MutatingAdmissionPolicyBindingSpec = bindingSpec(MatchResources)

export const MutatingAdmissionPolicyBinding = object('MutatingAdmissionPolicyBinding', 'Puts a mutating policy into force.', () => ({
  spec: field(2, MutatingAdmissionPolicyBindingSpec, 'Desired state.'),
}))

export const mutatingAdmissionPolicyBindings = resource({
  group: 'admissionregistration.<domain>',
  version: 'v1',
  names: ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicybinding'],
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: MutatingAdmissionPolicyBinding,
  columns: policyBindingColumns,
  storageVersion: 'admissionregistration.<domain>/v1beta1',
  lifecycle: { introduced: '1.36' },
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: staticNameStrategy,
})
