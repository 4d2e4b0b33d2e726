import { FieldPath } from '../../schema/field-path.ts'
import { field, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { validateDomainPrefixedPath, validateUnchanged } from '../validation.ts'
import { ingressClassColumns } from './columns.ts'
import { validateParameters } from './ingress-validation.ts'

export const IngressClassParametersReference = message(
  'IngressClassParametersReference',
  'Points at parameters of an ingress class.',
  () => ({
    apiGroup: pointer(1, string, 'Group of the object; absent for the core group.'),
    kind: required(2, string, 'Kind of the object.'),
    name: required(3, string, 'Name of the object.'),
    scope: pointer(4, string, 'Cluster or Namespace.', { omitEmpty: false }),
    namespace: pointer(5, string, 'Namespace of the object, with scope Namespace.'),
  }),
).with({
  defaults(reference) {
    reference.scope ??= 'Cluster'
  },
})

const maxControllerLength = 250

export const IngressClassSpec = message('IngressClassSpec', 'Who implements a class.', () => ({
  controller: field(1, string, 'Controller, as a prefixed name; cannot be changed.'),
  parameters: pointer(2, IngressClassParametersReference, "Object with the controller's parameters."),
}))

export const IngressClass = object('IngressClass', 'A class of ingresses.', () => ({
  spec: field(2, IngressClassSpec, 'Desired state.'),
}))

export const ingressClasses = resource({
  group: 'networking.<domain>',
  version: 'v1',
  names: ['ingressclasses', 'ingressclass'],
  metadataOnUpdate: ['update', 'changes', 'object'],
  namespaced: false,
  schema: IngressClass,
  columns: ingressClassColumns,
  lifecycle: { introduced: '1.19' },
  generation: 'spec',
  strategy: {
    validate({ spec = {} }, errors) {
      const path = FieldPath.of('spec')
      const { controller = '', parameters } = spec
      const at = path.child('controller')
      if (controller.length > maxControllerLength) errors.tooLong(at, maxControllerLength)
      validateDomainPrefixedPath(controller, at, errors)
      if (parameters) validateParameters(parameters, path.child('parameters'), errors)
    },
    validateUpdate({ spec }, old, errors) {
      validateUnchanged(spec?.controller ?? '', old.spec?.controller ?? '', FieldPath.of('spec', 'controller'), errors)
    },
  },
})
