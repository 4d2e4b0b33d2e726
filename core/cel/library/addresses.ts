/** IP addresses and networks as values (libraries `ip` and `cidr` of the API server). */
import type { Address, Network } from '../../schema/formats/ip.ts'
import { contains, formatAddress, isGlobalUnicast, parseAddress, parseNetwork } from '../../schema/formats/ip.ts'
import { declare, type FunctionDeclaration, type Row, type Weigh } from '../functions.ts'
import { opaqueType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { CelOpaque } from '../values/values.ts'
import { addressFault, networkFault } from './address-faults.ts'
import { traversed, traversesFirst, traversesTwice } from './costs.ts'
import { quoted } from './quoted.ts'

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

/** Maximum characters of an address, with a zone; longer strings are not parsed. */
const maxLength = 1_000

/** Parses an unambiguous address; undefined: `ipFault` says why not. */
function readIp(text: string): CelIp | undefined {
  const address = text.length <= maxLength ? parseAddress(text) : undefined
  return address === undefined || address.leadingZeros || address.mapped ? undefined : new CelIp(address)
}

const mappedFault = (text: string) => `IPv4-mapped IPv6 address ${quoted(text)} is not allowed`

function ipFault(text: string): string {
  const address = text.length <= maxLength ? parseAddress(text) : undefined
  if (address?.mapped && !address.leadingZeros) return mappedFault(text)
  const zone = /^([0-9a-fA-F:.]{1,1000})%/.exec(text)?.[1]
  if (zone !== undefined && parseAddress(zone)) return `IP address ${quoted(text)} with zone value is not allowed`
  return `IP Address ${quoted(text)} parse error during conversion from string: ${addressFault(text)}`
}

/** Parses an unambiguous network; undefined: `cidrFault` says why not. */
function readCidr(text: string): CelCidr | undefined {
  const network = text.length <= maxLength ? parseNetwork(text) : undefined
  return network === undefined || network.leadingZeros || network.address.mapped ? undefined : new CelCidr(network)
}

function cidrFault(text: string): string {
  const network = text.length <= maxLength ? parseNetwork(text) : undefined
  const isMapped = network?.address.mapped && !network.leadingZeros
  return isMapped ? mappedFault(text) : `network address parse error during conversion from string: ${networkFault(text)}`
}

const ip = (text: string): CelIp => readIp(text) ?? fail(ipFault(text))
const cidr = (text: string): CelCidr =>
  readCidr(text) ?? fail(`network address parse error during conversion from string: ${cidrFault(text)}`)

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
  const { address } = readIp(text) ?? fail('no such overload')
  return contains(network, address)
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
    cost: ([outer, inner]: readonly unknown[], weigh: Weigh) => {
      const size = weigh(outer)
      return traversed(size + size) + (masks ? traversed(size) + 1 : 0) + (parses ? traversed(weigh(inner)) : 0)
    },
  }) as const

const rows: readonly Row[] = [
  ['string_to_ip', 'ip(string): net.IP', ip, traversesFirst],
  ['is_ip', 'isIP(string): bool', (text: string) => readIp(text) !== undefined, traversesFirst],
  ['ip_is_canonical', 'ip.isCanonical(string): bool', (text: string) => formatAddress(ip(text).address) === text, traversesTwice],
  ['ip_to_string', 'string(net.IP): string', ({ address }: CelIp) => formatAddress(address)],
  ['ip_family', 'net.IP.family(): int', ({ address }: CelIp) => (address.bytes.length === 4 ? 4 : 6)],
  ['ip_is_unspecified', 'net.IP.isUnspecified(): bool', (each: CelIp) => isIn(each, networks.isUnspecified)],
  ['ip_is_loopback', 'net.IP.isLoopback(): bool', (each: CelIp) => isIn(each, networks.isLoopback)],
  ['ip_is_link_local_multicast', 'net.IP.isLinkLocalMulticast(): bool', (each: CelIp) => isIn(each, networks.isLinkLocalMulticast)],
  ['ip_is_link_local_unicast', 'net.IP.isLinkLocalUnicast(): bool', (each: CelIp) => isIn(each, networks.isLinkLocalUnicast)],
  ['ip_is_global_unicast', 'net.IP.isGlobalUnicast(): bool', ({ address }: CelIp) => isGlobalUnicast(address)],
  ['string_to_cidr', 'cidr(string): net.CIDR', cidr, traversesFirst],
  ['is_cidr', 'isCIDR(string): bool', (text: string) => readCidr(text) !== undefined, traversesFirst],
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
