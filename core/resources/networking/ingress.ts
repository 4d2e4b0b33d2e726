import { atomicList, field, inline, int32, message, pointer, required, requiredPointer, string } from '../../schema/model.ts'
import { Protocol } from '../core/enums.ts'
import { TypedLocalObjectReference } from '../core/references.ts'
import { ingressWarnings } from '../core/service-warnings.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { ingressColumns } from './columns.ts'
import { classWarnings, pathTypes, validateClass, validateIngressSpec, validateIngressStatus } from './ingress-validation.ts'

export const ServiceBackendPort = message('ServiceBackendPort', 'A port of a service, by name or by number.', () => ({
  name: field(1, string, 'Name of the port.'),
  number: field(2, int32, 'Number of the port.'),
})).with({ atomic: true })

export const IngressServiceBackend = message('IngressServiceBackend', 'A service that receives traffic.', () => ({
  name: required(1, string, 'Service in the same namespace.'),
  port: field(2, ServiceBackendPort, 'Port of the service.'),
}))

export const IngressBackend = message('IngressBackend', 'Where traffic goes; one of the two is set.', () => ({
  service: pointer(4, IngressServiceBackend, 'A service.'),
  resource: pointer(3, TypedLocalObjectReference, 'Another object of the same namespace.'),
}))

export const HTTPIngressPath = message('HTTPIngressPath', 'Requests for a path and their backend.', () => ({
  path: field(1, string, 'Path to match; starts with /.'),
  pathType: requiredPointer(3, string, 'Exact, Prefix or ImplementationSpecific.', {
    goType: 'v1.PathType',
    publishedEnum: pathTypes,
  }),
  backend: required(2, IngressBackend, 'Where matching requests go.'),
}))

export const HTTPIngressRuleValue = message('HTTPIngressRuleValue', 'Paths of HTTP requests, with the backend of each.', () => ({
  paths: required(1, atomicList(HTTPIngressPath), 'Paths and their backends.'),
}))

export const IngressTLS = message('IngressTLS', 'Where TLS ends for some hosts.', () => ({
  hosts: field(1, atomicList(string), 'Hosts in the certificate.'),
  secretName: field(2, string, 'Secret with the certificate and its key.'),
}))

export const IngressRuleValue = message('IngressRuleValue', 'Rules by protocol.', () => ({
  // Without a description, as in the reference: it would put an `allOf` around the reference in OpenAPI 3.
  http: pointer(1, HTTPIngressRuleValue, ''),
}))

export const IngressRule = message('IngressRule', 'What happens to requests for a host.', () => ({
  host: field(1, string, 'Host name, which may start with `*.`; all hosts when empty.'),
  ingressRuleValue: inline(2, IngressRuleValue),
}))

export const IngressSpec = message('IngressSpec', 'How traffic from outside reaches services.', () => ({
  ingressClassName: pointer(4, string, 'Class that implements it.'),
  defaultBackend: pointer(1, IngressBackend, 'Where requests go that no rule matches.'),
  tls: field(2, atomicList(IngressTLS), 'Where TLS ends.'),
  rules: field(3, atomicList(IngressRule), 'Rules by host.'),
})).with({ validate: (spec, path, errors, context) => validateIngressSpec(spec, path, errors, context) })

export const IngressPortStatus = message('IngressPortStatus', 'State of a port of the load balancer.', () => ({
  port: required(1, int32, 'Port number.'),
  protocol: required(2, string, 'UDP, TCP or SCTP.', { goType: 'v1.Protocol', enum: Protocol }),
  error: pointer(3, string, 'Why the port does not work, in one CamelCase or prefixed word.'),
}))

export const IngressLoadBalancerIngress = message('IngressLoadBalancerIngress', 'A place where traffic enters.', () => ({
  ip: field(1, string, 'Its address.'),
  hostname: field(2, string, 'Its host name.'),
  ports: field(4, atomicList(IngressPortStatus), 'State of its ports.'),
}))

export const IngressLoadBalancerStatus = message(
  'IngressLoadBalancerStatus',
  'Addresses at which the load balancer of an ingress accepts traffic.',
  () => ({
    ingress: field(1, atomicList(IngressLoadBalancerIngress), 'Places where traffic enters.'),
  }),
)

export const IngressStatus = message('IngressStatus', 'State of an ingress.', () => ({
  loadBalancer: field(1, IngressLoadBalancerStatus, 'State of its load balancer.'),
}))

export const Ingress = object(
  'Ingress',
  'Rules by which HTTP traffic from outside reaches services.',
  specAndStatus(IngressSpec, IngressStatus),
)

export const ingresses = resource({
  group: 'networking.<domain>',
  version: 'v1',
  names: ['ingresses', 'ingress', 'ing'],
  metadataOnUpdate: ['update', 'object'],
  schema: Ingress,
  columns: ingressColumns,
  storageKey: 'ingress',
  lifecycle: { introduced: '1.19' },
  status: true,
  generation: 'spec',
  strategy: {
    validate: validateClass,
    validateStatus: validateIngressStatus,
    statusWarnings: ingressWarnings,
    warnings: classWarnings,
  },
})
