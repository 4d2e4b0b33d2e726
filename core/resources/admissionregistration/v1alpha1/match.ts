import { field, message, pointer, required, string } from '../../../schema/model.ts'
import { LabelSelector } from '../../meta/selector.ts'

export const Variable = message('Variable', 'A value that other expressions can use.', () => ({
  name: required(1, string, 'Name; read as variables.<name>.'),
  expression: required(2, string, 'Expression that yields the value.'),
}))

export const ParamRef = message('ParamRef', 'Points at parameters; by name or by label.', () => ({
  name: field(1, string, 'Name of the object.'),
  namespace: field(2, string, 'Namespace of the object; that of the request by default.'),
  selector: pointer(3, LabelSelector, 'Objects by label; the policy runs once for each.'),
  parameterNotFoundAction: pointer(4, string, 'Without parameters: Allow or Deny.', {
    goType: 'v1alpha1.ParameterNotFoundActionType',
    enum: ['Allow', 'Deny'],
  }),
})).with({
  atomic: true,
  defaults(reference) {
    reference.parameterNotFoundAction ??= 'Deny'
  },
})
