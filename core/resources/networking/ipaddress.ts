import { field, message, required, requiredPointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { validateIPAddress } from './address-validation.ts'
import { ipAddressColumns } from './columns.ts'

export const ParentReference = message('ParentReference', 'Points at the object that owns an address.', () => ({
  group: field(1, string, 'API group of the object.'),
  resource: required(2, string, 'Resource of the object.', { omitEmpty: true }),
  namespace: field(3, string, 'Namespace of the object.'),
  name: required(4, string, 'Name of the object.', { omitEmpty: true }),
}))

export const IPAddressSpec = message('IPAddressSpec', 'Who uses an address.', () => ({
  parentRef: requiredPointer(1, ParentReference, 'Object that uses it.', { omitEmpty: true, immutable: true }),
}))

export const IPAddress = object('IPAddress', 'An allocated address; its name is the address.', () => ({
  spec: required(2, IPAddressSpec, 'Desired state.', { omitEmpty: true }),
}))

export const ipAddresses = resource({
  group: 'networking.<domain>',
  version: 'v1',
  names: ['ipaddresses', 'ipaddress', 'ip'],
  metadataOnUpdate: ['object', 'update'],
  namespaced: false,
  schema: IPAddress,
  columns: ipAddressColumns,
  lifecycle: { introduced: '1.33' },
  nameFormat: 'strictIP',
  strategy: { keepsGenerateName: true, validate: validateIPAddress },
})
