/** Validation of IP addresses and networks (apimachinery util/validation/ip.go). */
import { formatAddress, parseAddress, parseNetwork } from './ip.ts'

const addressMessage = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
/** For fields older than strict validation: any unambiguous spelling. */
export function ip(value: string): string[] {
  const address = parseAddress(value)
  if (address === undefined) return [addressMessage]
  return [
    ...(address.leadingZeros ? ['must not have leading 0s'] : []),
    ...(address.mapped ? ['must not be an IPv4-mapped IPv6 address'] : []),
  ]
}

/** For new fields: only the canonical spelling. */
export function strictIP(value: string): string[] {
  const problems = ip(value)
  const address = parseAddress(value)
  if (problems.length > 0 || address === undefined) return problems
  const canonical = formatAddress(address)
  return canonical === value ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`]
}

export function cidr(value: string): string[] {
  const network = parseNetwork(value)
  if (network === undefined) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']
  if (network.leadingZeros) return ['must not have leading 0s in IP or prefix length']
  if (network.address.mapped) return ['must not have an IPv4-mapped IPv6 address']
  return network.hostBits ? ['must not have bits set beyond the prefix length'] : []
}

export function strictCIDR(value: string): string[] {
  const problems = cidr(value)
  const network = parseNetwork(value)
  if (problems.length > 0 || network === undefined) return problems
  const canonical = `${formatAddress(network.address)}/${network.prefix}`
  return canonical === value ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`]
}

export function interfaceAddress(value: string): string[] {
  const network = parseNetwork(value)
  if (network === undefined) return ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)']
  const prefix = network.address.mapped && network.prefix > 32 ? network.prefix - 96 : network.prefix
  const canonical = `${formatAddress(network.address)}/${prefix}`
  return canonical === value ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`]
}
