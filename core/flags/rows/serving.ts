import { DecodeError } from '../../schema/decode-error.ts'
import { parseAddress, parseNetwork } from '../../schema/ip.ts'
import { bool, choice, custom, duration, int, string, strings } from '../flag-types.ts'
import { corsOriginProblem } from './origins.ts'

const ipProblem = (text: string) => (text === '' || parseAddress(text)?.leadingZeros === false ? undefined : 'must be an IP address')

/** Maximum host bits of a service range: older servers keep ranges as bitmaps. */
const maxHostBits = 20

/** Minimum host bits of a service range: 8 addresses. */
const leastHostBits = 3

function serviceRangesProblem(ranges: readonly string[]): string | undefined {
  const parsed = ranges.map(parseNetwork)
  if (ranges.length === 0) return 'must be one or two CIDRs such as 10.0.0.0/24'
  if (ranges.length > 2) return 'must not contain more than two CIDRs'
  for (const network of parsed) {
    if (!network || network.leadingZeros) return 'must be one or two CIDRs such as 10.0.0.0/24'
    const bits = network.address.bytes.length * 8
    if (bits - network.prefix < leastHostBits) return `is too small: must be at least ${2 ** leastHostBits} IP addresses`
    if (bits === 32 && bits - network.prefix > maxHostBits) {
      return `is too large; for 32-bit addresses, the mask must be >= ${bits - maxHostBits}`
    }
  }
  const sameFamily = parsed.length === 2 && parsed[0]?.address.bytes.length === parsed[1]?.address.bytes.length
  return sameFamily ? 'must be of different IP families' : undefined
}

/** Ports from `from` to `to`, both inclusive. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

function readPortRange(text: string): PortRange {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text)
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  if (!match) throw new DecodeError('must be a range such as 30000-32767')
  return { from, to }
}

function portRangeProblem({ from, to }: PortRange): string | undefined {
  if (from < 1 || to > 65535) return 'must be between 1 and 65535'
  return from > to ? 'must not end before it starts' : undefined
}

export const servingFlags = {
  'secure-port': int({
    default: 6443,
    min: 1,
    max: 65535,
    implemented: true,
    help: 'Port for HTTPS with authentication and authorization.',
  }),
  'bind-address': string({
    default: '0.0.0.0',
    implemented: true,
    check: ipProblem,
    help: 'IP address to listen on. Blank, 0.0.0.0 or :: listens on all interfaces and address families.',
  }),
  'advertise-address': string({
    implemented: true,
    check: ipProblem,
    help: "IP address that is published to the cluster, as endpoint of the API server's service. Blank: --bind-address, or the address of the host's default interface.",
  }),
  'external-hostname': string({ implemented: true, help: 'Host name for URLs that the server generates, such as in discovery documents.' }),
  'cors-allowed-origins': strings({
    implemented: true,
    checkItem: corsOriginProblem,
    help: 'Regular expressions of allowed CORS origins. Anchor the host: ^ or // before it, $ or : after it. Empty: no CORS.',
  }),
  'disable-http2-serving': bool({ implemented: true, help: 'Serve HTTP/1.1 only.' }),
  'permit-address-sharing': bool({ implemented: true, help: 'Bind with SO_REUSEADDR.' }),
  'permit-port-sharing': bool({ help: 'Bind with SO_REUSEPORT, so that several servers can share address and port.' }),
  'enable-aggregator-routing': bool({
    help: 'Send requests for aggregated APIs to the endpoint addresses of the service instead of its cluster IP.',
  }),
  'aggregator-reject-forwarding-redirect': bool({
    default: true,
    help: 'Reject redirects of aggregated API servers instead of returning them to the client.',
  }),
  'endpoint-reconciler-type': choice({
    oneOf: ['lease', 'master-count', 'none'],
    default: 'lease',
    help: "How the endpoints of the API server's service are maintained: lease, none or master-count (deprecated).",
  }),
  'platform-service-node-port': int({
    implemented: true,
    min: 0,
    max: 65535,
    help: "Node port of the API server's service. 0: the service has type ClusterIP.",
  }),
  'service-cluster-ip-range': custom(
    { label: 'CIDRs', read: (text) => text.split(',').map((each) => each.trim()), show: (value: readonly string[]) => value.join(',') },
    {
      default: ['10.0.0.0/24'],
      implemented: true,
      check: serviceRangesProblem,
      help: 'CIDR of service cluster IPs, or one per address family. Must not overlap with nodes or pods.',
    },
  ),
  'service-node-port-range': custom(
    { label: 'N1-N2', read: readPortRange, problem: portRangeProblem, show: ({ from, to }: PortRange) => `${from}-${to}` },
    {
      default: { from: 30000, to: 32767 },
      implemented: true,
      help: 'Ports for NodePort services, both ends included. Must not overlap with the ephemeral ports of nodes.',
    },
  ),
  'nodeagent-preferred-address-types': strings({
    implemented: true,
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Preferred types of node addresses for connections to node agents, in order.',
  }),
  'egress-selector-config-file': string({
    path: 'file',
    help: 'Path of the EgressSelectorConfiguration file: proxies for outgoing connections.',
  }),
  'peer-advertise-ip': string({
    check: ipProblem,
    help: 'IP address that other API servers forward requests to. Needs UnknownVersionInteroperabilityProxy.',
  }),
  'peer-advertise-port': string({
    check: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? undefined : 'must be a port'),
    help: 'Port that other API servers forward requests to. Needs UnknownVersionInteroperabilityProxy.',
  }),
  'peer-ca-file': string({
    path: 'file',
    help: 'CA bundle for the serving certificates of other API servers. Needs UnknownVersionInteroperabilityProxy.',
  }),
  'coordinated-leadership-lease-duration': duration({ default: 15_000, help: 'Lease duration for coordinated leader election.' }),
  'coordinated-leadership-renew-deadline': duration({ default: 10_000, help: 'Renew deadline for coordinated leader election.' }),
  'coordinated-leadership-retry-period': duration({
    default: 2_000,
    help: 'Retry period for coordinated leader election.',
  }),
}
