/** Addresses and node ports of a service. */
import type { ServicePort as ServicePortMessage } from '../../../resources/core/service.ts'
import { mayHoldPorts, needsClusterIP, needsHealthCheckPort, type ServiceSpec } from '../../../resources/core/service-defaults.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import type { Infer } from '../../../schema/model.ts'

export type ServicePort = Infer<typeof ServicePortMessage>

const headless = 'None'

/** The spec of a service, created if missing. */
export function specOf(service: ApiObject): ServiceSpec {
  service['spec'] ??= {}
  return service['spec'] as ServiceSpec
}

/** Cluster IPs of the service, from the service ranges. */
export function clusterIpsOf(spec: ServiceSpec): readonly string[] {
  if (!needsClusterIP(spec)) return []
  const all = spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : [])
  return all.filter((each) => each !== '' && each !== headless)
}

/** Node ports of the service's own ports. */
export const nodePortsOf = ({ ports = [] }: ServiceSpec): readonly number[] => ports.flatMap(({ nodePort = 0 }) => nodePort || [])

/** All ports of the service in the node port range. */
export function heldPorts(spec: ServiceSpec): readonly number[] {
  if (!mayHoldPorts(spec)) return []
  const health = needsHealthCheckPort(spec) && spec.healthCheckNodePort ? [spec.healthCheckNodePort] : []
  return [...nodePortsOf(spec), ...health]
}
