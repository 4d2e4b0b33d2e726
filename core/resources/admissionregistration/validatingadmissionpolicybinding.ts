import { list, message, pointer, required, string, withFacets } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { policyBindingColumns } from './columns.ts'
import { MatchResources, ParamRef } from './match.ts'
import { validateActions, validatePolicyName } from './policy-validation.ts'
import { staticNameStrategy } from './static-name.ts'

export const ValidatingAdmissionPolicyBindingSpec = message(
  'ValidatingAdmissionPolicyBindingSpec',
  'Where a policy applies, and the effect of a violation.',
  () => ({
    policyName: required(1, string, 'The policy.', { omitEmpty: true }),
    paramRef: pointer(2, ParamRef, 'Its parameters.'),
    matchResources: pointer(3, MatchResources, 'Limits the requests further.'),
    validationActions: required(
      4,
      list(withFacets(string, { enum: ['Deny', 'Warn', 'Audit'] }), { listType: 'set' }),
      'Effect of a violation: Deny, Warn, Audit.',
      { goType: 'v1.ValidationAction', omitEmpty: true },
    ),
  }),
).with({
  validateFirst: ({ policyName }, path, errors) => validatePolicyName(policyName, path, errors),
  validate: ({ validationActions }, path, errors) => validateActions(validationActions, path, errors),
})

export const ValidatingAdmissionPolicyBinding = object('ValidatingAdmissionPolicyBinding', 'Puts a validating policy into force.', () => ({
  spec: required(2, ValidatingAdmissionPolicyBindingSpec, 'Desired state.', { omitEmpty: true }),
}))

export const validatingAdmissionPolicyBindings = resource({
  group: 'admissionregistration.<domain>',
  version: 'v1',
  names: ['validatingadmissionpolicybindings', 'validatingadmissionpolicybinding'],
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: ValidatingAdmissionPolicyBinding,
  columns: policyBindingColumns,
  lifecycle: { introduced: '1.30' },
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: staticNameStrategy,
})
