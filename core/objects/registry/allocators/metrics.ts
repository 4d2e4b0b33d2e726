import { counter, gauge, histogram, type Recorded } from '../../../metrics.ts'

const addresses = 'kube_apiserver_clusterip_allocator'
const ports = 'kube_apiserver_nodeport_allocator'

/** Allocations of services. Dry runs are not counted. */
export const serviceRows = {
  takenAddresses: gauge(`${addresses}_allocated_ips`, 'Cluster IPs of a range that are allocated.', { labels: ['cidr'] }),
  freeAddresses: gauge(`${addresses}_available_ips`, 'Cluster IPs of a range that are free.', { labels: ['cidr'] }),
  addresses: counter(`${addresses}_allocation_total`, 'Allocations of cluster IPs.', { labels: ['cidr', 'scope'] }),
  addressErrors: counter(`${addresses}_allocation_errors_total`, 'Allocations of cluster IPs that failed.', { labels: ['cidr', 'scope'] }),
  durations: histogram(`${addresses}_allocation_duration_seconds`, 'Duration of an allocation of a cluster IP, in seconds.', {
    labels: ['cidr'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  takenPorts: gauge(`${ports}_allocated_ports`, 'Node ports that are allocated.'),
  freePorts: gauge(`${ports}_available_ports`, 'Node ports that are free.'),
  ports: counter(`${ports}_allocation_total`, 'Allocations of node ports.', { labels: ['scope'] }),
  portErrors: counter(`${ports}_allocation_errors_total`, 'Allocations of node ports that failed.', { labels: ['scope'] }),
}

export type AllocationMetrics = Recorded<typeof serviceRows>

/** `static`: the client asked for this address or port; `dynamic`: for any. */
export type AllocationScope = 'static' | 'dynamic'
