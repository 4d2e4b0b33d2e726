import {
  atomicList,
  bool,
  field,
  int32,
  intOrString,
  keyedList,
  list,
  map,
  message,
  pointer,
  required,
  string,
  withFacets,
} from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { Condition } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { Protocol } from './enums.ts'
import { LoadBalancerStatus } from './load-balancer.ts'
import { objectValidation } from './object-validation.ts'
import { ServiceProxyOptions } from './proxy-options.ts'
import { serviceColumns } from './service-columns.ts'
import {
  defaultFamilies,
  defaultService,
  defaultServiceStatus,
  dropInternalPolicy,
  dropTypeDependent,
  keepAllocated,
  pairClusterIPs,
} from './service-defaults.ts'
import { validateServiceStatus, validateServiceUpdate } from './service-update-validation.ts'
import { validateService } from './service-validation.ts'
import { ingressWarnings, serviceWarnings } from './service-warnings.ts'

export const ClientIPConfig = message('ClientIPConfig', 'Settings of session affinity by client address.', () => ({
  timeoutSeconds: pointer(1, int32, 'Seconds that a session sticks, up to 86400; 10800 by default.'),
}))

export const ServicePort = message('ServicePort', 'A port of a service.', () => ({
  name: field(1, string, 'DNS label; may be empty when there is one port only.'),
  protocol: field(2, string, 'UDP, TCP or SCTP.', { goType: 'v1.Protocol', enum: Protocol, default: 'TCP' }),
  appProtocol: pointer(6, string, 'Application protocol: a registered service name or a prefixed name.'),
  port: required(3, int32, 'Port that the service offers.'),
  targetPort: field(4, intOrString, 'Port number or name in the pods; equal to port by default.'),
  nodePort: field(5, int32, 'Port on every node, for NodePort and LoadBalancer; chosen when absent.'),
}))

export const SessionAffinityConfig = message('SessionAffinityConfig', 'Settings of each kind of session affinity.', () => ({
  clientIP: pointer(1, ClientIPConfig, 'Settings for affinity by client address.'),
}))

export const ServiceSpec = message('ServiceSpec', 'How a service is reached and which pods stand behind it.', () => ({
  ports: field(1, list(ServicePort, { listType: 'map', keys: ['port', 'protocol'] }), 'Ports that it offers.', {
    patchStrategy: 'merge',
    patchMergeKey: 'port',
  }),
  selector: field(2, map(string, { atomic: true }), 'Labels of its pods; without a selector its endpoints are managed externally.'),
  clusterIP: field(3, string, 'Address in the cluster: chosen when empty, None for a headless service.'),
  clusterIPs: field(18, atomicList(string), 'Addresses, one per family; the first equals clusterIP.'),
  type: field(4, string, 'ClusterIP, NodePort, LoadBalancer or ExternalName.', {
    goType: 'v1.ServiceType',
    enum: ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'],
  }),
  externalIPs: field(5, atomicList(string), 'Further addresses that nodes accept its traffic on; deprecated.'),
  sessionAffinity: field(7, string, 'None, or ClientIP to send a client to one pod.', {
    goType: 'v1.ServiceAffinity',
    enum: ['ClientIP', 'None'],
  }),
  loadBalancerIP: field(8, string, 'Deprecated: requested address of the load balancer.'),
  loadBalancerSourceRanges: field(9, atomicList(string), 'Address ranges of clients that the load balancer admits.'),
  externalName: field(10, string, 'DNS name that an ExternalName service stands for.'),
  externalTrafficPolicy: field(11, string, 'Traffic from outside: Cluster, or Local to keep it on the node.', {
    goType: 'v1.ServiceExternalTrafficPolicy',
    enum: ['Cluster', 'Local'],
  }),
  healthCheckNodePort: field(12, int32, 'Port for health checks of load balancers, with Local external traffic.'),
  publishNotReadyAddresses: field(13, bool, 'Publishes endpoints before they are ready.'),
  sessionAffinityConfig: pointer(14, SessionAffinityConfig, 'Settings of session affinity.'),
  ipFamilies: field(
    19,
    atomicList(withFacets(string, { enum: ['IPv4', 'IPv6', ''] })),
    'Address families, IPv4 and IPv6; the first is the main one.',
    { goType: 'v1.IPFamily' },
  ),
  ipFamilyPolicy: pointer(17, string, 'SingleStack, PreferDualStack or RequireDualStack.', {
    goType: 'v1.IPFamilyPolicy',
    enum: ['SingleStack', 'PreferDualStack', 'RequireDualStack'],
  }),
  allocateLoadBalancerNodePorts: pointer(20, bool, 'False gives a LoadBalancer service no node ports; true by default.'),
  loadBalancerClass: pointer(21, string, 'Load balancer implementation; cannot be changed once set.'),
  internalTrafficPolicy: pointer(22, string, 'Traffic from within: Cluster, or Local to keep it on the node.', {
    goType: 'v1.ServiceInternalTrafficPolicy',
    enum: ['Cluster', 'Local'],
  }),
  trafficDistribution: pointer(23, string, 'Wish about which endpoints get traffic, such as PreferSameZone.'),
})).with({
  defaults(spec) {
    defaultService(spec)
  },
})

export const ServiceStatus = message('ServiceStatus', 'State of a service.', () => ({
  loadBalancer: field(1, LoadBalancerStatus, 'State of its load balancer.'),
  conditions: keyedList(2, Condition, 'type', 'Latest observations, one per condition type.'),
}))

export const Service = object('Service', 'A stable address for a set of pods.', specAndStatus(ServiceSpec, ServiceStatus))

export const services = resource({
  group: '',
  version: 'v1',
  names: ['services', 'service', 'svc'],
  categories: ['all'],
  schema: Service,
  columns: serviceColumns,
  returnsDeleted: true,
  storageKey: 'services/specs',
  strategy: {
    defaults: defaultServiceStatus,
    prepareCreate({ spec }) {
      if (!spec) return
      pairClusterIPs(spec)
      defaultFamilies(spec)
      dropInternalPolicy(spec)
    },
    prepareUpdate({ spec }, { spec: old }) {
      if (!spec || !old) return
      dropTypeDependent(spec, old)
      keepAllocated(spec, old)
      pairClusterIPs(spec, old)
      defaultFamilies(spec)
      dropInternalPolicy(spec)
    },
    validate: objectValidation((service, errors, context, old) => {
      if (old) validateServiceUpdate(service, old, errors)
      validateService(service, errors, context, old)
    }),
    validateStatus: validateServiceStatus,
    warnings: serviceWarnings,
    statusWarnings: ingressWarnings,
  },
  lifecycle: { introduced: '1.0' },
  status: true,
  subresources: [
    {
      name: 'proxy',
      kind: 'ServiceProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      schema: ServiceProxyOptions,
      connects: 'proxy',
      action: 'serviceProxy',
    },
  ],
  nameFormat: 'dns1123Label',
  selectable: { 'spec.clusterIP': '.spec.clusterIP', 'spec.type': '.spec.type' },
  createOnUpdate: true,
  reservations: 'serviceAddresses',
})
