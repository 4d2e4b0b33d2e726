import type { Environment } from 'cel-js'
import { type Address, contains, formatAddress, type Network, parseAddress, parseNetwork } from '../schema/ip.ts'

class CelIp {
  readonly address: Address
  constructor(address: Address) {
    this.address = address
  }
}

class CelCidr {
  readonly network: Network
  constructor(network: Network) {
    this.network = network
  }
}

/** Only forms that every reader takes for the same address: no leading zeros, no IPv4 written as IPv6. */
function readIp(text: string): CelIp | undefined {
  const address = parseAddress(text)
  return address === undefined || address.leadingZeros || address.mapped ? undefined : new CelIp(address)
}

function readCidr(text: string): CelCidr | undefined {
  const network = parseNetwork(text)
  return network === undefined || network.leadingZeros || network.address.mapped ? undefined : new CelCidr(network)
}

function must<T>(found: T | undefined, kind: string, text: string): T {
  if (found === undefined) throw new Error(`${kind} parse error during conversion from string: ${JSON.stringify(text)}`)
  return found
}

const ip = (text: string) => must(readIp(text), 'IP Address', text)
const cidr = (text: string) => must(readCidr(text), 'CIDR', text)

/** Networks by what they are for: of IPv4 and of IPv6. */
const networks = {
  isUnspecified: ['0.0.0.0/32', '::/128'],
  isLoopback: ['127.0.0.0/8', '::1/128'],
  isLinkLocalMulticast: ['224.0.0.0/24', 'ff02::/16'],
  isLinkLocalUnicast: ['169.254.0.0/16', 'fe80::/10'],
} as const
const multicast = ['224.0.0.0/4', 'ff00::/8', '255.255.255.255/32']

const isIn = ({ address }: CelIp, list: readonly string[]) => list.some((each) => contains(cidr(each).network, address))
const isGlobalUnicast = (each: CelIp) =>
  !isIn(each, [...networks.isUnspecified, ...networks.isLoopback, ...networks.isLinkLocalUnicast, ...multicast])

const containsCidr = ({ network }: CelCidr, { network: inner }: CelCidr) =>
  contains(network, inner.address) && network.prefix <= inner.prefix

function masked({ network }: CelCidr): CelCidr {
  const kept = (index: number) => 0xff & ~(0xff >> Math.max(0, Math.min(8, network.prefix - 8 * index)))
  const bytes = network.address.bytes.map((byte, index) => byte & kept(index))
  return new CelCidr({ ...network, hostBits: false, address: { ...network.address, bytes } })
}

const textOf = ({ network }: CelCidr) => `${formatAddress(network.address)}/${network.prefix}`

/** IP addresses and networks as values (this API's library). */
export function registerAddresses(environment: Environment): void {
  environment
    .registerType('net.IP', CelIp)
    .registerType('net.CIDR', CelCidr)
    .registerFunction('ip(string): net.IP', ip)
    .registerFunction('isIP(string): bool', (text: string) => readIp(text) !== undefined)
    .registerFunction('string(net.IP): string', ({ address }: CelIp) => formatAddress(address))
    .registerFunction('net.IP.family(): int', ({ address }: CelIp) => (address.bytes.length === 4 ? 4n : 6n))
    .registerFunction('net.IP.isGlobalUnicast(): bool', isGlobalUnicast)
    .registerFunction('cidr(string): net.CIDR', cidr)
    .registerFunction('isCIDR(string): bool', (text: string) => readCidr(text) !== undefined)
    .registerFunction('string(net.CIDR): string', textOf)
    .registerFunction('net.CIDR.ip(): net.IP', ({ network }: CelCidr) => new CelIp(network.address))
    .registerFunction('net.CIDR.prefixLength(): int', ({ network }: CelCidr) => BigInt(network.prefix))
    .registerFunction('net.CIDR.masked(): net.CIDR', masked)
    .registerFunction('net.CIDR.containsIP(net.IP): bool', ({ network }: CelCidr, { address }: CelIp) => contains(network, address))
    .registerFunction('net.CIDR.containsIP(string): bool', ({ network }: CelCidr, text: string) => contains(network, ip(text).address))
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', containsCidr)
    .registerFunction('net.CIDR.containsCIDR(string): bool', (outer: CelCidr, text: string) => containsCidr(outer, cidr(text)))
    .registerOperator('net.IP == net.IP', (a: CelIp, b: CelIp) => formatAddress(a.address) === formatAddress(b.address))
    .registerOperator('net.CIDR == net.CIDR', (a: CelCidr, b: CelCidr) => textOf(a) === textOf(b))
  for (const [name, list] of Object.entries(networks))
    environment.registerFunction(`net.IP.${name}(): bool`, (each: CelIp) => isIn(each, list))
}
