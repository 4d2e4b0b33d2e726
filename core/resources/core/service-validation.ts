/** Validation of services. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { portNumber } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateLabels } from '../../schema/object-meta.ts'
import { validateAddress, validateFormat, validateSupported } from '../validation.ts'
import { validateOrdinaryAddress } from './address-validation.ts'
import { protocols, validateChoice } from './container-validation.ts'
import { validatePort } from './probe-validation.ts'
import type { ServicePort, Service as ServiceSchema } from './service.ts'
import { validateServiceAddresses } from './service-address-validation.ts'
import { isExternal, isHeadless, needsHealthCheckPort, type ServiceSpec } from './service-defaults.ts'

type Service = Infer<typeof ServiceSchema>
type Ports = readonly Infer<typeof ServicePort>[]

const root = FieldPath.of('spec')
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const sourceRanges = 'service.beta.<labels>/load-balancer-source-ranges'
const topologyMode = 'service.<labels>/topology-mode'
const topologyHints = 'service.<labels>/topology-aware-hints'
const forLoadBalancers = "may only be used when `type` is 'LoadBalancer'"
const maxSessionSeconds = 86400

export function validateService({ metadata = {}, spec = {} }: Service, errors: FieldErrors, context: HookContext, old?: Service): void {
  if (!old && !context.settings.enabled('RelaxedServiceNameValidation')) {
    validateFormat(metadata.name, 'dns1035Label', FieldPath.of('metadata', 'name'), errors)
  }
  const annotations = metadata.annotations ?? {}
  validateTopologyAnnotations(annotations, errors, context)
  const { ports = [], type = '' } = spec
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.required(root.child('ports'))
  validateType(spec, errors)
  validatePorts(ports, root.child('ports'), errors)
  validateLabels(spec.selector, root.child('selector'), errors)
  validateAffinity(spec, errors)
  validateServiceAddresses(spec, errors)
  spec.externalIPs?.forEach((address, index) => {
    const at = root.child('externalIPs').index(index)
    const before = errors.count
    validateAddress(address, 'ip', at, errors)
    if (errors.count === before) validateOrdinaryAddress(address, at, errors)
  })
  validateChoice(type, types, root.child('type'), errors)
  validatePortNumbers(spec, root.child('ports'), errors)
  validateSourceRanges(spec, annotations, errors, context)
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer') {
    errors.forbidden(root.child('allocateLoadBalancerNodePorts'), forLoadBalancers)
  }
  validateLoadBalancerClass(spec, errors)
  validateTraffic(spec, errors, context)
}

function validateTopologyAnnotations(annotations: { [key: string]: string }, errors: FieldErrors, { platform }: HookContext): void {
  const mode = annotations[platform.name(topologyMode)]
  const hints = annotations[platform.name(topologyHints)]
  if (mode === undefined || hints === undefined || mode === hints) return
  const at = FieldPath.of('metadata', 'annotations').key(platform.name(topologyMode))
  errors.invalid(at, mode, `must match annotations[${platform.name(topologyHints)}] when both are specified`)
}

function validateType(spec: ServiceSpec, errors: FieldErrors): void {
  const { type } = spec
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.invalid(root.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`)
  }
  if (type !== 'ExternalName') return
  for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
    if (spec[name]?.length) errors.forbidden(root.child(name), 'may not be set for ExternalName services')
  }
  const name = (spec.externalName ?? '').replace(/\.$/, '')
  if (name === '') errors.required(root.child('externalName'))
  else validateFormat(name, 'dns1123Subdomain', root.child('externalName'), errors)
}

function validatePorts(ports: Ports, path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>()
  ports.forEach(({ name, port, protocol, targetPort = 0, appProtocol }, index) => {
    const at = path.index(index)
    if (name) {
      validateFormat(name, 'dns1123Label', at.child('name'), errors)
      if (names.has(name)) errors.duplicate(at.child('name'), name)
      names.add(name)
    } else if (ports.length > 1) errors.required(at.child('name'))
    for (const problem of portNumber(port)) errors.invalid(at.child('port'), port, problem)
    validateChoice(protocol, protocols, at.child('protocol'), errors)
    validatePort(targetPort, at.child('targetPort'), errors)
    validateFormat(appProtocol, 'qualifiedName', at.child('appProtocol'), errors)
  })
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec, errors: FieldErrors): void {
  validateChoice(sessionAffinity, ['ClientIP', 'None'], root.child('sessionAffinity'), errors)
  const path = root.child('sessionAffinityConfig')
  if (sessionAffinity === 'None' && config) errors.forbidden(path, 'must not be set when session affinity is None')
  if (sessionAffinity !== 'ClientIP') return
  const at = path.child('clientIP').child('timeoutSeconds')
  const seconds = config?.clientIP?.timeoutSeconds
  if (seconds === undefined) errors.required(at, 'when session affinity type is ClientIP')
  else if (seconds <= 0 || seconds > maxSessionSeconds) {
    errors.invalid(at, seconds, `must be greater than 0 and less than ${maxSessionSeconds}`)
  }
}

function validatePortNumbers({ type, ports = [] }: ServiceSpec, path: FieldPath, errors: FieldErrors): void {
  if (type === 'ClusterIP') {
    ports.forEach(({ nodePort }, index) => {
      if (nodePort) errors.forbidden(path.index(index).child('nodePort'), "may not be used when `type` is 'ClusterIP'")
    })
  }
  const nodePorts = new Set<string>()
  ports.forEach(({ nodePort, protocol }, index) => {
    if (!nodePort) return
    const key = `${protocol}/${nodePort}`
    if (nodePorts.has(key)) errors.duplicate(path.index(index).child('nodePort'), nodePort)
    nodePorts.add(key)
  })
  const offered = new Set<string>()
  ports.forEach(({ port, protocol = '' }, index) => {
    const key = `${protocol}/${port}`
    if (offered.has(key)) errors.duplicate(path.index(index), { protocol, port })
    offered.add(key)
  })
}

function validateSourceRanges(
  { type, loadBalancerSourceRanges: ranges = [] }: ServiceSpec,
  annotations: { [key: string]: string },
  errors: FieldErrors,
  { platform }: HookContext,
) {
  const key = platform.name(sourceRanges)
  const annotation = annotations[key]
  if (ranges.length > 0) {
    const path = root.child('LoadBalancerSourceRanges')
    if (type !== 'LoadBalancer') errors.forbidden(path, forLoadBalancers)
    for (const [index, range] of ranges.entries()) validateAddress(range.trim(), 'cidr', path.index(index), errors)
  } else if (annotation !== undefined) {
    const path = FieldPath.of('metadata', 'annotations').key(key)
    if (type !== 'LoadBalancer') errors.forbidden(path, forLoadBalancers)
    if (annotation.trim() !== '') for (const range of annotation.trim().split(',')) validateAddress(range.trim(), 'cidr', path, errors)
  }
}

export function validateLoadBalancerClass({ type, loadBalancerClass: name }: ServiceSpec, errors: FieldErrors): void {
  const at = root.child('loadBalancerClass')
  if (type === 'LoadBalancer') validateFormat(name, 'qualifiedName', at, errors)
  else if (name !== undefined) errors.forbidden(at, forLoadBalancers)
}

function validateTraffic(spec: ServiceSpec, errors: FieldErrors, { settings }: HookContext): void {
  const { externalTrafficPolicy: external, healthCheckNodePort: port, internalTrafficPolicy, trafficDistribution } = spec
  if (isExternal(spec)) validateChoice(external, ['Cluster', 'Local'], root.child('externalTrafficPolicy'), errors)
  else if (external) {
    errors.invalid(root.child('externalTrafficPolicy'), external, 'may only be set for externally-accessible services')
  }
  if (port) {
    const at = root.child('healthCheckNodePort')
    if (needsHealthCheckPort(spec)) for (const problem of portNumber(port)) errors.invalid(at, port, problem)
    else errors.invalid(at, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
  }
  if (internalTrafficPolicy !== undefined) {
    validateSupported(internalTrafficPolicy, ['Cluster', 'Local'], root.child('internalTrafficPolicy'), errors)
  }
  if (trafficDistribution !== undefined) {
    const closer = settings.enabled('PreferSameTrafficDistribution') ? ['PreferSameZone', 'PreferSameNode'] : []
    const allowed = ['PreferClose', ...closer]
    validateSupported(trafficDistribution, allowed, root.child('trafficDistribution'), errors)
  }
}
