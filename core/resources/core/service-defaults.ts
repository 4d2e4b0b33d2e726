/** Defaults of services, and consequences of a type change. */
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import type { Service as ServiceSchema, ServiceSpec as ServiceSpecSchema } from './service.ts'

type Service = Infer<typeof ServiceSchema>
export type ServiceSpec = Infer<typeof ServiceSpecSchema>
export type Family = 'IPv4' | 'IPv6'

const sessionSeconds = 10800

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec) => clusterIPs.length === 1 && clusterIPs[0] === 'None'
export const needsClusterIP = ({ type }: ServiceSpec) => type !== 'ExternalName'
/** Whether every port of the service gets a node port. */
export const needsNodePorts = ({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec) =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts)
/** Types of services that may have node ports. */
export const mayHoldPorts = ({ type }: ServiceSpec) => type === 'NodePort' || type === 'LoadBalancer'
export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec) =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
export const isExternal = ({ type, externalIPs = [] }: ServiceSpec) =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0)

export function defaultService(spec: ServiceSpec): void {
  spec.sessionAffinity ||= 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  else if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: sessionSeconds } }
  }
  spec.type ||= 'ClusterIP'
  for (const port of spec.ports ?? []) port.targetPort ||= port.port
  if (isExternal(spec)) spec.externalTrafficPolicy ||= 'Cluster'
  if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

/** The default ipMode of load balancers is VIP. */
export function defaultServiceStatus({ spec, status }: Service): void {
  if (spec?.type !== 'LoadBalancer') return
  for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP'
}

/** The family of an IP address. */
export const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4')

/**
 * Defaults the families from the service's addresses and the cluster's families (primary first). Headless services have
 * families too: they determine the DNS records of their pods.
 */
export function defaultFamilies(spec: ServiceSpec, cluster: readonly Family[] = ['IPv4']): void {
  if (!needsClusterIP(spec)) return
  const addresses = (spec.clusterIPs ?? []).filter((address) => address !== 'None')
  const families = [...(spec.ipFamilies ?? [])]
  for (const address of addresses.slice(families.length)) families.push(familyOf(address))
  if (families.length === 2 || addresses.length === 2) spec.ipFamilyPolicy ??= 'RequireDualStack'
  const [main = 'IPv4'] = cluster
  if (families.length === 0) families.push(main)
  // A headless service without selector has endpoints outside the cluster, so both families are possible.
  const open = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0
  spec.ipFamilyPolicy ??= open ? 'RequireDualStack' : 'SingleStack'
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && (open || cluster.length === 2)) {
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4')
  }
  spec.ipFamilies = families
}

/** Old clients write only `clusterIP`. */
export function pairClusterIPs(spec: ServiceSpec, old?: ServiceSpec): void {
  const { clusterIP = '', clusterIPs = [] } = spec
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP]
    return
  }
  const before = old.clusterIPs ?? []
  if (clusterIP === (old.clusterIP ?? '')) {
    if (clusterIPs.length === 0 && before.length > 0) spec.clusterIPs = [...before]
  } else if (equal(clusterIPs, before)) {
    if (clusterIP === '') delete spec.clusterIPs
    else spec.clusterIPs = [clusterIP]
  }
}

/** ExternalName services have no internal traffic. */
export function dropInternalPolicy(spec: ServiceSpec): void {
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy
}

/** Restores allocated values that the client omitted. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIP(spec) && needsClusterIP(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP
    if (!spec.clusterIPs?.length && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs]
  }
  if (needsNodePorts(spec) && needsNodePorts(old)) keepNodePorts(spec, old)
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old)) spec.healthCheckNodePort ||= old.healthCheckNodePort
}

function keepNodePorts({ ports = [] }: ServiceSpec, { ports: before = [] }: ServiceSpec): void {
  const taken = new Set(ports.map(({ nodePort }) => nodePort))
  const byName = new Map(before.map(({ name = '', nodePort }) => [name, nodePort]))
  for (const port of ports) {
    const known = byName.get(port.name ?? '')
    if (!port.nodePort && known && !taken.has(known)) port.nodePort = known
  }
}

const same = (a: ServiceSpec, b: ServiceSpec, name: keyof ServiceSpec) =>
  equal(a[name] as Json | undefined, b[name] as Json | undefined) || (a[name] === undefined && b[name] === undefined)

/** Clears fields that the new type does not use, unless the client changed them; node ports also when some are gone. */
export function dropTypeDependent(spec: ServiceSpec, old: ServiceSpec): void {
  const drop = (...names: (keyof ServiceSpec)[]) => {
    for (const name of names) if (same(spec, old, name)) delete spec[name]
  }
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (same(spec, old, 'clusterIP') && same(spec, old, 'clusterIPs')) drop('clusterIP', 'clusterIPs')
    drop('ipFamilies', 'ipFamilyPolicy')
  }
  const own = new Set([0, ...(old.ports ?? []).map(({ nodePort = 0 }) => nodePort)])
  const ports = spec.ports ?? []
  if (mayHoldPorts(old) && !mayHoldPorts(spec) && ports.every(({ nodePort = 0 }) => own.has(nodePort))) {
    for (const port of ports) delete port.nodePort
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec)) drop('healthCheckNodePort')
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') drop('allocateLoadBalancerNodePorts', 'loadBalancerClass')
  if (isExternal(old) && !isExternal(spec)) drop('externalTrafficPolicy')
}
