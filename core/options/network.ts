/** Addresses of services and nodes. */

import type { PortRange } from '../objects/registry/allocators/port-set.ts'
import type { NodeAgentFiles } from '../outgoing/forwarding/node-agents.ts'
import type { ClientCertificate } from '../outgoing/forwarding/pem-files.ts'
import { parseNetwork } from '../schema/formats/ip.ts'
import { type Conflicts, option } from './option.ts'
import { bool, integer, limited, list, milliseconds, shape, text, within } from './types.ts'

/** Minimum host bits of a service range: 8 addresses. */
const minHostBits = 3
/** The reference counts the addresses of shorter prefixes as none (netutils.RangeSize), and refuses them. */
const minPrefix = 2

const lastPort = 65_535

function serviceRangesProblem(ranges: readonly string[]): string | undefined {
  const parsed = ranges.map(parseNetwork)
  if (ranges.length === 0) return 'must be one or two CIDRs such as 10.0.0.0/24'
  if (ranges.length > 2) return 'must not contain more than two CIDRs'
  for (const network of parsed) {
    if (!network || network.leadingZeros) return 'must be one or two CIDRs such as 10.0.0.0/24'
    const bits = network.address.bytes.length * 8
    if (network.prefix < minPrefix) return `is too large: the prefix must be at least /${minPrefix}`
    if (bits - network.prefix < minHostBits) return `is too small: must be at least ${2 ** minHostBits} IP addresses`
  }
  const sameFamily = parsed.length === 2 && parsed[0]?.address.bytes.length === parsed[1]?.address.bytes.length
  return sameFamily ? 'must be of different IP families' : undefined
}

/** Why a range of ports is not allowed, or undefined. */
export function portRangeProblem({ from, to }: PortRange): string | undefined {
  if (from < 1 || to > lastPort) return `must be between 1 and ${lastPort}`
  return from > to ? 'must not end before it starts' : undefined
}

export const defaultNodePorts: PortRange = { from: 30_000, to: 32_767 }

export const networkOptions = {
  serviceClusterIpRanges: option(limited(list(text), serviceRangesProblem), {
    default: ['10.0.0.0/24'],
    description: 'CIDR of service cluster IPs, or one per address family. Must not overlap with nodes or pods.',
  }),
  serviceNodePortRange: option(limited<PortRange>(shape({ from: integer, to: integer }, ['from', 'to']), portRangeProblem), {
    default: defaultNodePorts,
    description: 'Ports for NodePort services, both ends included. Must not overlap with the ephemeral ports of nodes.',
  }),
  clusterServiceNodePort: option(within({ min: 0, max: lastPort }), {
    default: 0,
    description: "Node port of the API server's service. 0: the service has type ClusterIP.",
  }),
  nodeAddressTypes: option(list(text), {
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    description: 'Preferred types of node addresses for connections to node agents, in order.',
  }),
  nodeAgentFiles: option<NodeAgentFiles>(shape({ certificateAuthority: text, clientCertificate: text, clientKey: text }), {
    default: {},
    description:
      'Files for calls to node agents: CA bundle (without it, their certificates are not verified), client certificate and key. Read through the port files, again when they change.',
  }),
  proxyClientFiles: option<ClientCertificate>(shape({ certificate: text, key: text }), {
    default: {},
    description:
      'Files of the client certificate by which aggregated API servers know this one, and its key. Read through the port files, again when they change.',
  }),
  peerCaFile: option(text, {
    default: '',
    description:
      'File with the CA bundle for certificates of other API servers, which answer requests for resources that this one does not serve. Read through the port files, again when it changes. Empty: they are not asked. Needs proxyClientFiles.',
  }),
  aggregation: option(bool, {
    default: true,
    description:
      'Pass requests for aggregated APIs on to their servers. False: registrations are only stored, and what they register is not served.',
  }),
  aggregatorRouting: option(bool, {
    default: false,
    description: 'Send requests for aggregated APIs to the endpoint addresses of the service instead of its cluster IP.',
  }),
  rejectForwardedRedirects: option(bool, {
    default: true,
    description: 'Reject redirects of aggregated API servers instead of returning them to the client.',
  }),
  nodeAgentTimeout: option(milliseconds(), { default: 5_000, description: 'Timeout of connecting to node agents.' }),
}

export const networkConflicts: Conflicts<typeof networkOptions> = (
  { clusterServiceNodePort: port, serviceNodePortRange: { from, to }, peerCaFile, proxyClientFiles: { certificate, key } },
  named,
) => [
  ...(port !== 0 && (port < from || port > to)
    ? [{ at: 'clusterServiceNodePort', message: `${port} is outside of ${named('serviceNodePortRange')} ${from}-${to}` } as const]
    : []),
  ...(peerCaFile !== '' && (certificate === undefined || key === undefined)
    ? [{ at: 'peerCaFile', message: `needs ${named('proxyClientFiles')}` } as const]
    : []),
]
