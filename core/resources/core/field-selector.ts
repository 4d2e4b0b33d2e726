import { field, message, quantity, required, string } from '../../schema/model.ts'

export const ObjectFieldSelector = message('ObjectFieldSelector', 'Selects a field of the pod by its path and API version.', () => ({
  apiVersion: field(1, string, 'Version that the path is written for; v1 by default.'),
  fieldPath: required(2, string, 'Path of the field.'),
})).with({
  atomic: true,
  defaults(selector) {
    selector.apiVersion ||= 'v1'
  },
})

export const ResourceFieldSelector = message('ResourceFieldSelector', 'A resource of a container, as a number.', () => ({
  containerName: field(1, string, 'Container to look at; required in volumes.'),
  resource: required(2, string, 'Resource, such as limits.cpu.'),
  divisor: field(3, quantity, 'Unit of the result; 1 by default.'),
})).with({ atomic: true })
