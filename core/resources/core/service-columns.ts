import type { Infer } from '../../schema/model.ts'
import { ageColumn, joined, labelsText, nameColumn, none, textColumn, unknown, wide } from '../cells.ts'
import type { LoadBalancerIngress } from './load-balancer.ts'
import type { Service } from './service.ts'

/** An ingress point of a load balancer. */
export type IngressPoint = Infer<typeof LoadBalancerIngress>

type ServiceRow = Infer<typeof Service>

/** IP addresses or host names of ingress points, sorted, without duplicates. */
export function ingressAddresses(ingress: readonly IngressPoint[] | undefined): string[] {
  return [...new Set((ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').filter((text) => text !== ''))].sort()
}

function externalAddress({ spec, status }: ServiceRow): string {
  const own = spec?.externalIPs ?? []
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return joined(own)
    case 'LoadBalancer':
      return [...ingressAddresses(status?.loadBalancer?.ingress), ...own].join(',') || '<pending>'
    case 'ExternalName':
      return spec.externalName ?? ''
    default:
      return unknown
  }
}

function portsText({ spec }: ServiceRow): string {
  return joined(
    spec?.ports?.map(({ port, nodePort, protocol = '' }) => (nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`)),
  )
}

export const serviceColumns = [
  nameColumn,
  textColumn('Type', 'How the service is exposed.', '.spec.type'),
  textColumn<ServiceRow>('Cluster-IP', 'Address inside the cluster.', ({ spec }) => spec?.clusterIPs?.[0] ?? none),
  textColumn('External-IP', 'Addresses outside the cluster.', externalAddress),
  textColumn('Port(s)', 'Ports, with those on the nodes.', portsText),
  ageColumn,
  wide(textColumn<ServiceRow>('Selector', 'Labels of the pods behind it.', ({ spec }) => labelsText(spec?.selector))),
]
