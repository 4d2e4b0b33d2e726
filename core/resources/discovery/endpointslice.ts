import { atomicList, bool, field, int32, list, map, message, pointer, required, string } from '../../schema/model.ts'
import { Protocol } from '../core/enums.ts'
import { ObjectReference } from '../core/references.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { endpointSliceColumns } from './columns.ts'
import { dropTopology, validateEndpointSlice } from './endpointslice-validation.ts'
import { endpointSliceWarnings } from './endpointslice-warnings.ts'

export const EndpointConditions = message('EndpointConditions', 'Whether an endpoint is ready, serving or terminating.', () => ({
  ready: pointer(1, bool, 'Can take new traffic; absent counts as true.'),
  serving: pointer(2, bool, 'Like ready, but also true while it terminates.'),
  terminating: pointer(3, bool, 'Is being removed.'),
}))

export const ForZone = message('ForZone', 'A zone that should use an endpoint.', () => ({
  name: required(1, string, 'Name of the zone.'),
}))

export const ForNode = message('ForNode', 'A node that should use an endpoint.', () => ({
  name: required(1, string, 'Name of the node.'),
}))

export const EndpointHints = message('EndpointHints', 'Who should use an endpoint.', () => ({
  forZones: field(1, atomicList(ForZone), 'Zones that should use it.'),
  forNodes: field(2, atomicList(ForNode), 'Nodes that should use it.'),
}))

export const Endpoint = message('Endpoint', 'One unit behind a service.', () => ({
  addresses: required(1, list(string, { listType: 'set' }), 'Addresses of one type that all lead to this endpoint.'),
  conditions: field(2, EndpointConditions, 'State of the endpoint.'),
  hostname: pointer(3, string, 'Host name of the endpoint.'),
  targetRef: pointer(4, ObjectReference, 'Object that it stands for, mostly a pod.'),
  deprecatedTopology: field(5, map(string), 'Topology as in the first beta; read-only.'),
  nodeName: pointer(6, string, 'Node that hosts it.'),
  zone: pointer(7, string, 'Zone that it is in.'),
  hints: pointer(8, EndpointHints, 'Who should use it.'),
}))

export const EndpointPort = message('EndpointPort', 'A port of the endpoints of a slice.', () => ({
  name: pointer(1, string, 'Name of the service port; unique in the slice.'),
  protocol: pointer(2, string, 'UDP, TCP or SCTP.', { goType: 'v1.Protocol', enum: Protocol }),
  port: pointer(3, int32, 'Port number; absent means that it is not restricted.'),
  appProtocol: pointer(4, string, 'Application protocol: a registered service name or a prefixed name.'),
})).with({
  atomic: true,
  defaults(port) {
    port.name ??= ''
    port.protocol ??= 'TCP'
  },
})

export const EndpointSlice = object('EndpointSlice', 'Some of the endpoints of a service.', () => ({
  addressType: required(4, string, 'IPv4, IPv6 or FQDN; cannot be changed.', {
    goType: 'v1.AddressType',
    enum: ['IPv4', 'IPv6', 'FQDN'],
    immutable: true,
    notEmpty: true,
  }),
  endpoints: field(2, atomicList(Endpoint), 'The endpoints, up to 1000.', { omitEmpty: false }),
  ports: field(3, atomicList(EndpointPort), 'Ports of every endpoint, up to 100.', { omitEmpty: false }),
}))

export const endpointSlices = resource({
  group: 'discovery.<domain>',
  version: 'v1',
  names: ['endpointslices', 'endpointslice'],
  metadataOnUpdate: ['object'],
  schema: EndpointSlice,
  columns: endpointSliceColumns,
  lifecycle: { introduced: '1.21' },
  generation: 'specAndLabels',
  strategy: {
    prepareCreate: (slice, context) => dropTopology(slice, context),
    prepareUpdate: (slice, old, context) => dropTopology(slice, context, old),
    validate: validateEndpointSlice,
    warnings: endpointSliceWarnings,
  },
})
