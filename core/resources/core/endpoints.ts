import { atomicList, field, int32, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { endpointsColumns } from './columns.ts'
import { validateEndpoints } from './endpoints-validation.ts'
import { endpointsWarnings } from './endpoints-warnings.ts'
import { Protocol } from './enums.ts'
import { objectValidation } from './object-validation.ts'
import { ObjectReference } from './references.ts'

export const EndpointAddress = message('EndpointAddress', 'An address behind a service.', () => ({
  ip: required(1, string, 'Address; loopback and link-local ones are refused.'),
  hostname: field(3, string, 'Host name of the endpoint.'),
  nodeName: pointer(4, string, 'Node that hosts the endpoint.'),
  targetRef: pointer(2, ObjectReference, 'Object that owns the address, mostly a pod.'),
})).with({ atomic: true })

export const EndpointPort = message('EndpointPort', 'A port of an endpoint.', () => ({
  name: field(1, string, 'Name of the service port; may be empty when there is one only.'),
  port: required(2, int32, 'Port number.'),
  protocol: field(3, string, 'UDP, TCP or SCTP.', { goType: 'v1.Protocol', enum: Protocol }),
  appProtocol: pointer(4, string, 'Application protocol: a registered service name or a prefixed name.'),
})).with({
  atomic: true,
  defaults(port) {
    port.protocol ||= 'TCP'
  },
})

export const EndpointSubset = message('EndpointSubset', 'The endpoints that result from combining each address with each port.', () => ({
  addresses: field(1, atomicList(EndpointAddress), 'Addresses that are ready for traffic.'),
  notReadyAddresses: field(2, atomicList(EndpointAddress), 'Addresses that are starting, or fail their readiness checks.'),
  ports: field(3, atomicList(EndpointPort), 'Ports that each of the addresses offers.'),
}))

export const Endpoints = object('Endpoints', 'Addresses behind a service in one object (deprecated; see EndpointSlice).', () => ({
  subsets: field(2, atomicList(EndpointSubset), 'Groups of addresses with common ports.'),
}))

export const endpoints = resource({
  group: '',
  version: 'v1',
  names: ['endpoints', 'endpoints', 'ep'],
  metadataOnUpdate: ['update', 'object'],
  schema: Endpoints,
  columns: endpointsColumns,
  storageKey: 'services/endpoints',
  strategy: { validate: objectValidation(validateEndpoints), warnings: endpointsWarnings },
  lifecycle: {
    introduced: '1.0',
    deprecated: '1.33',
    replacement: { group: 'discovery.<domain>', version: 'v1', kind: 'EndpointSlice' },
  },
  createOnUpdate: true,
})
