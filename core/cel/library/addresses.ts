/** IP addresses and networks as values (libraries `ip` and `cidr` of the API server). */
import { type Address, contains, formatAddress, isGlobalUnicast, type Network, parseAddress, parseNetwork } from '../../schema/ip.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { opaqueType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { weightOf } from '../values/maps.ts'
import { CelOpaque } from '../values/values.ts'
import { addressFault, networkFault } from './address-faults.ts'
import { traversed, traversesFirst, traversesTwice } from './costs.ts'

export const ipType = opaqueType('net.IP')
export const cidrType = opaqueType('net.CIDR')

class CelIp extends CelOpaque {
  readonly celType = ipType
  readonly address: Address
  constructor(address: Address) {
    super()
    this.address = address
  }
  override equals(other: unknown): boolean {
    return other instanceof CelIp && formatAddress(other.address) === formatAddress(this.address)
  }
  override size(): number {
    return this.address.bytes.length
  }
}

class CelCidr extends CelOpaque {
  readonly celType = cidrType
  readonly network: Network
  constructor(network: Network) {
    super()
    this.network = network
  }
  override equals(other: unknown): boolean {
    return other instanceof CelCidr && textOf(other) === textOf(this)
  }
  override size(): number {
    return Math.ceil(this.network.prefix / 8)
  }
}

const textOf = ({ network }: CelCidr) => `${formatAddress(network.address)}/${network.prefix}`

const quoted = (text: string) => JSON.stringify(text)

/** Maximum characters of an address, with a zone; longer strings are not parsed. */
const longest = 1_000

/** Parses an unambiguous address, or returns the error. */
function readIp(text: string): CelIp | string {
  const address = text.length <= longest ? parseAddress(text) : undefined
  if (address === undefined || address.leadingZeros) {
    const zone = /^([0-9a-fA-F:.]+)%/.exec(text)?.[1]
    if (zone !== undefined && zone.length <= longest && parseAddress(zone))
      return `IP address ${quoted(text)} with zone value is not allowed`
    return `IP Address ${quoted(text)} parse error during conversion from string: ${addressFault(text)}`
  }
  return address.mapped ? `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` : new CelIp(address)
}

function readCidr(text: string): CelCidr | string {
  const network = text.length <= longest ? parseNetwork(text) : undefined
  if (network === undefined || network.leadingZeros)
    return `network address parse error during conversion from string: ${networkFault(text)}`
  return network.address.mapped ? `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` : new CelCidr(network)
}

function must<T>(found: T | string): T {
  return typeof found === 'string' ? fail(found) : found
}

const ip = (text: string): CelIp => must(readIp(text))
const cidr = (text: string): CelCidr => {
  const found = readCidr(text)
  return typeof found === 'string' ? fail(`network address parse error during conversion from string: ${found}`) : found
}

/** Special networks of IPv4 and IPv6. */
const networks = {
  isUnspecified: ['0.0.0.0/32', '::/128'],
  isLoopback: ['127.0.0.0/8', '::1/128'],
  isLinkLocalMulticast: ['224.0.0.0/24', 'ff02::/16'],
  isLinkLocalUnicast: ['169.254.0.0/16', 'fe80::/10'],
} as const

const isIn = ({ address }: CelIp, list: readonly string[]) => list.some((each) => contains(cidr(each).network, address))

/** A malformed address counts as a value of the wrong type. */
function containsText({ network }: CelCidr, text: string): boolean {
  const found = readIp(text)
  return typeof found === 'string' ? fail('no such overload') : contains(network, found.address)
}

const containsCidr = ({ network }: CelCidr, { network: inner }: CelCidr) =>
  contains(network, inner.address) && network.prefix <= inner.prefix

function masked({ network }: CelCidr): CelCidr {
  const kept = (index: number) => 0xff & ~(0xff >> Math.max(0, Math.min(8, network.prefix - 8 * index)))
  const bytes = network.address.bytes.map((byte, index) => byte & kept(index))
  return new CelCidr({ ...network, hostBits: false, address: { ...network.address, bytes } })
}

/** Compares both up to the prefix; strings are parsed first. */
const compares = (parses: boolean, masks: boolean) =>
  ({
    cost: ([outer, inner]: readonly unknown[]) => {
      const size = weightOf(outer)
      return traversed(size + size) + (masks ? traversed(size) + 1 : 0) + (parses ? traversed(weightOf(inner)) : 0)
    },
  }) as const

const rows: readonly Row[] = [
  ['string_to_ip', 'ip(string): net.IP', ip, traversesFirst],
  ['is_ip', 'isIP(string): bool', (text: string) => typeof readIp(text) !== 'string', traversesFirst],
  ['ip_is_canonical', 'ip.isCanonical(string): bool', (text: string) => formatAddress(ip(text).address) === text, traversesTwice],
  ['ip_to_string', 'string(net.IP): string', ({ address }: CelIp) => formatAddress(address)],
  ['ip_family', 'net.IP.family(): int', ({ address }: CelIp) => (address.bytes.length === 4 ? 4 : 6)],
  ['ip_is_unspecified', 'net.IP.isUnspecified(): bool', (each: CelIp) => isIn(each, networks.isUnspecified)],
  ['ip_is_loopback', 'net.IP.isLoopback(): bool', (each: CelIp) => isIn(each, networks.isLoopback)],
  ['ip_is_link_local_multicast', 'net.IP.isLinkLocalMulticast(): bool', (each: CelIp) => isIn(each, networks.isLinkLocalMulticast)],
  ['ip_is_link_local_unicast', 'net.IP.isLinkLocalUnicast(): bool', (each: CelIp) => isIn(each, networks.isLinkLocalUnicast)],
  ['ip_is_global_unicast', 'net.IP.isGlobalUnicast(): bool', ({ address }: CelIp) => isGlobalUnicast(address)],
  ['string_to_cidr', 'cidr(string): net.CIDR', cidr, traversesFirst],
  ['is_cidr', 'isCIDR(string): bool', (text: string) => typeof readCidr(text) !== 'string', traversesFirst],
  ['cidr_to_string', 'string(net.CIDR): string', textOf],
  ['cidr_ip', 'net.CIDR.ip(): net.IP', ({ network }: CelCidr) => new CelIp(network.address)],
  ['cidr_prefix_length', 'net.CIDR.prefixLength(): int', ({ network }: CelCidr) => network.prefix],
  ['cidr_masked', 'net.CIDR.masked(): net.CIDR', masked],
  ['cidr_contains_ip_string', 'net.CIDR.containsIP(string): bool', containsText, compares(true, false)],
  [
    'cidr_contains_ip_ip',
    'net.CIDR.containsIP(net.IP): bool',
    ({ network }: CelCidr, { address }: CelIp) => contains(network, address),
    compares(false, false),
  ],
  [
    'cidr_contains_cidr_string',
    'net.CIDR.containsCIDR(string): bool',
    (outer: CelCidr, text: string) => containsCidr(outer, cidr(text)),
    compares(true, true),
  ],
  ['cidr_contains_cidr', 'net.CIDR.containsCIDR(net.CIDR): bool', containsCidr, compares(false, true)],
]

export const addressLibrary = (): readonly FunctionDeclaration[] => declare(rows, { 'net.IP': ipType, 'net.CIDR': cidrType })
