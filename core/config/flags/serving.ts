import { DecodeError } from '../../schema/decode-error.ts'
import { parseAddress, parseNetwork } from '../../schema/ip.ts'
import { bool, choice, custom, duration, int, string, strings } from '../flag-types.ts'
import { corsOriginProblem } from './origins.ts'

const ipProblem = (text: string) => (text === '' || parseAddress(text)?.leadingZeros === false ? undefined : 'must be an IP address')

/** Ranges are kept as bitmaps by older servers, which is why the reference server limits their size. */
const maxHostBits = 20

function serviceRangesProblem(ranges: readonly string[]): string | undefined {
  const parsed = ranges.map(parseNetwork)
  if (ranges.length > 2) return 'must not contain more than two CIDRs'
  for (const network of parsed) {
    if (!network || network.leadingZeros) return 'must be one or two CIDRs such as 10.0.0.0/24'
    const bits = network.address.bytes.length * 8
    if (bits === 32 && bits - network.prefix > maxHostBits) {
      return `is too large; for 32-bit addresses, the mask must be >= ${bits - maxHostBits}`
    }
  }
  const sameFamily = parsed.length === 2 && parsed[0]?.address.bytes.length === parsed[1]?.address.bytes.length
  return sameFamily ? 'must be of different IP families' : undefined
}

/** Ports from `from` to `to`, both included. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

function readPortRange(text: string): PortRange {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text)
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  if (!match) throw new DecodeError('must be a range such as 30000-32767')
  if (from < 1 || to > 65535) throw new DecodeError('must be between 1 and 65535')
  if (from > to) throw new DecodeError('must not end before it starts')
  return { from, to }
}

export const servingFlags = {
  'secure-port': int({ default: 6443, min: 1, max: 65535, built: true, help: 'Port for HTTPS with authentication and authorization.' }),
  'bind-address': string({
    default: '0.0.0.0',
    built: true,
    check: ipProblem,
    help: 'IP address to listen on. Blank, 0.0.0.0 or :: listens on all interfaces and address families.',
  }),
  'advertise-address': string({
    built: true,
    check: ipProblem,
    help: "IP address at which members of the cluster reach this server. Blank: --bind-address, or the host's default interface.",
  }),
  'external-hostname': string({ built: true, help: 'Host name in URLs that the server generates, such as those of discovery documents.' }),
  'cors-allowed-origins': strings({
    built: true,
    checkItem: corsOriginProblem,
    help: 'Regular expressions of origins that browsers may call from; pin the host with ^ or // and with $ or :. Empty: no CORS.',
  }),
  'disable-http2-serving': bool({ built: true, help: 'Serve HTTP/1.1 only.' }),
  'permit-address-sharing': bool({ built: true, help: 'Bind with SO_REUSEADDR.' }),
  'permit-port-sharing': bool({ help: 'Bind with SO_REUSEPORT, so that several servers can share address and port.' }),
  'enable-aggregator-routing': bool({ help: 'Send aggregated requests to endpoint addresses, not to the cluster IP.' }),
  'aggregator-reject-forwarding-redirect': bool({
    default: true,
    help: 'Answer with an error when an aggregated server redirects, and keep the redirect from the client.',
  }),
  'endpoint-reconciler-type': choice({
    oneOf: ['lease', 'master-count', 'none'],
    default: 'lease',
    help: 'How the endpoints of the own service are kept: lease, none or master-count (deprecated).',
  }),
  'platform-service-node-port': int({
    built: true,
    min: 0,
    max: 65535,
    help: "Node port of the cluster's own service; 0 makes it a ClusterIP service.",
  }),
  'service-cluster-ip-range': custom(
    { label: 'CIDRs', read: (text) => text.split(',').map((each) => each.trim()), show: (value: readonly string[]) => value.join(',') },
    {
      default: ['10.0.0.0/24'],
      built: true,
      check: serviceRangesProblem,
      help: 'Range of service cluster IPs, or two of different families. Must not overlap node or pod ranges.',
    },
  ),
  'service-node-port-range': custom(
    { label: 'N1-N2', read: readPortRange, show: ({ from, to }: PortRange) => `${from}-${to}` },
    {
      default: { from: 30000, to: 32767 },
      built: true,
      help: 'Ports of NodePort services, both ends included. Must not overlap the ephemeral ports of nodes.',
    },
  ),
  'nodeagent-preferred-address-types': strings({
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Types of node addresses to connect to node agents with, best first.',
  }),
  'egress-selector-config-file': string({ help: 'File that says through which proxy outgoing connections go.' }),
  'peer-advertise-ip': string({
    check: ipProblem,
    help: 'IP address for other API servers to forward requests to. Needs UnknownVersionInteroperabilityProxy.',
  }),
  'peer-advertise-port': string({
    check: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? undefined : 'must be a port'),
    help: 'Port for other API servers to forward requests to. Needs UnknownVersionInteroperabilityProxy.',
  }),
  'peer-ca-file': string({
    help: 'CA file that verifies serving certificates of other API servers. Needs UnknownVersionInteroperabilityProxy.',
  }),
  'coordinated-leadership-lease-duration': duration({ default: 15_000, help: 'Lease duration of coordinated leader election.' }),
  'coordinated-leadership-renew-deadline': duration({ default: 10_000, help: 'Time in which a coordinated leader must renew its lease.' }),
  'coordinated-leadership-retry-period': duration({
    default: 2_000,
    help: 'Time between tries to renew the lease of a coordinated leader.',
  }),
}
