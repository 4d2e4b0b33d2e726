import type { PortRange } from '../../objects/registry/allocators/port-set.ts'
import { defaultNodePorts, networkOptions, portRangeProblem } from '../../options/network.ts'
import { addressProblem, endpointReconcilerTypes } from '../../options/serving.ts'
import { DecodeError } from '../../schema/decode-error.ts'
import { corsOriginProblem, createCorsTest } from '../cors.ts'
import { bool, choice, custom, duration, int, string, strings } from '../flag-types.ts'
import { becomes, boundedBy, sets } from '../option-flag.ts'

/** `30000-32767`, `30000+2767` or one port, in decimals; blank for the default (PortRange.Set of apimachinery). */
function readPortRange(text: string): PortRange {
  const trimmed = text.trim()
  if (trimmed === '') return defaultNodePorts
  const match = /^(\d+)(?:([-+])(\d+))?$/.exec(trimmed)
  if (!match) throw new DecodeError('must be a range such as 30000-32767')
  const [, first, sign, second] = match
  const from = Number(first)
  return { from, to: sign === undefined ? from : sign === '+' ? from + Number(second) : Number(second) }
}

export const servingFlags = {
  'secure-port': int({ ...sets('serving', 'securePort'), help: 'Port for HTTPS with authentication and authorization.' }),
  'bind-address': string({
    default: '0.0.0.0',
    check: addressProblem,
    help: 'IP address to listen on. Blank, 0.0.0.0 or :: listens on all interfaces and address families.',
  }),
  'advertise-address': string({
    check: addressProblem,
    help: "IP address that is published to the cluster, as endpoint of the API server's service. Blank: --bind-address, or the address of the host's default interface.",
  }),
  'external-hostname': string({ help: 'Host name for URLs that the server generates, such as in discovery documents.' }),
  'cors-allowed-origins': strings({
    ...becomes('serving', 'corsAccepts', (origins: readonly string[]) => (origins.length > 0 ? createCorsTest(origins) : undefined)),
    checkItem: corsOriginProblem,
    help: 'Regular expressions of allowed CORS origins. Anchor the host: ^ or // before it, $ or : after it. Empty: no CORS.',
  }),
  'disable-http2-serving': bool({ help: 'Serve HTTP/1.1 only.' }),
  'permit-address-sharing': bool({ help: 'Bind with SO_REUSEADDR. All runtimes always do.' }),
  'permit-port-sharing': bool({
    help: 'Bind with SO_REUSEPORT, so that several servers can share address and port, and one can take over from another. Needs Node 22.12 or newer, Bun or Deno.',
  }),
  workers: int({
    min: 0,
    max: 256,
    default: 1,
    help: 'Threads that serve requests, each with its share of the connections; limits are those of all together. From 2 on, the main thread only has the store and the controllers. 0: as many as there are cores. Needs the embedded store.',
  }),
  'enable-aggregator-routing': bool(sets('network', 'aggregatorRouting')),
  'aggregator-reject-forwarding-redirect': bool(sets('network', 'rejectForwardedRedirects')),
  'endpoint-reconciler-type': choice({ oneOf: endpointReconcilerTypes, ...sets('serving', 'endpointReconciler') }),
  'apiserver-count': int({ ...sets('serving', 'serverCount'), deprecated: 'use --endpoint-reconciler-type=lease' }),
  'platform-service-node-port': int({
    ...boundedBy(networkOptions.clusterServiceNodePort),
    ...becomes('network', 'clusterServiceNodePort', (port: number | undefined) => port),
    help: networkOptions.clusterServiceNodePort.description,
  }),
  'service-cluster-ip-range': custom(
    { label: 'CIDRs', read: (text) => text.split(',').map((each) => each.trim()), show: (value: readonly string[]) => value.join(',') },
    sets('network', 'serviceClusterIpRanges'),
  ),
  'service-node-port-range': custom(
    {
      label: 'N1-N2',
      read: readPortRange,
      problem: portRangeProblem,
      show: ({ from, to }: PortRange) => `${from}-${to}`,
    },
    sets('network', 'serviceNodePortRange'),
  ),
  'nodeagent-preferred-address-types': strings(sets('network', 'nodeAddressTypes')),
  'egress-selector-config-file': string({
    path: 'file',
    kind: 'EgressSelectorConfiguration',
    help: 'Path of the EgressSelectorConfiguration file: proxies for outgoing connections.',
  }),
  'peer-advertise-ip': string({
    check: addressProblem,
    help: 'IP address at which other API servers reach this one; only with --peer-advertise-port. Default: --advertise-address and --secure-port. Needs UnknownVersionInteroperabilityProxy.',
    ...becomes('serving', 'peerAdvertiseIp', (ip: string | undefined) => ip),
  }),
  'peer-advertise-port': string({
    check: (text) => (text === '' || (/^\d{1,5}$/.test(text) && Number(text) <= 65535) ? undefined : 'must be a port'),
    help: 'Port at which other API servers reach this one; only with --peer-advertise-ip. Needs UnknownVersionInteroperabilityProxy.',
    ...becomes('serving', 'peerAdvertisePort', (port: string | undefined) => (port ? Number(port) : undefined)),
  }),
  'peer-ca-file': string({
    path: 'file',
    help: 'CA bundle for the serving certificates of other API servers, which answer requests for resources that this one does not serve. Needs UnknownVersionInteroperabilityProxy and --proxy-client-cert-file.',
    ...becomes('network', 'peerCaFile', (file: string | undefined) => file),
  }),
  'coordinated-leadership-lease-duration': duration(sets('leadership', 'coordinatedLeaseDuration')),
  'coordinated-leadership-renew-deadline': duration(sets('leadership', 'coordinatedRenewDeadline')),
  'coordinated-leadership-retry-period': duration(sets('leadership', 'coordinatedRetryPeriod')),
}
