/** Warnings about addresses and networks in older fields, which accept ambiguous spellings (apimachinery util/validation/ip.go). */
import type { FieldPath } from '../schema/field-path.ts'
import { type Address, formatAddress, parseAddress, parseNetwork } from '../schema/formats/ip.ts'

const quoted = (text: string) => JSON.stringify(text)

const isOdd = ({ leadingZeros, mapped }: Pick<Address, 'leadingZeros' | 'mapped'>) => leadingZeros || mapped

export function addressWarnings(path: FieldPath, value: string): string[] {
  const address = parseAddress(value)
  if (address === undefined) return []
  const canonical = formatAddress(address)
  if (canonical === value) return []
  if (isOdd(address)) return [`${path}: non-standard IP address ${quoted(value)} is invalid: use ${quoted(canonical)}`]
  return [`${path}: IPv6 address ${quoted(value)} should be in RFC 5952 canonical format (${quoted(canonical)})`]
}

export function networkWarnings(path: FieldPath, value: string): string[] {
  const network = parseNetwork(value)
  if (network === undefined) return []
  const { address, hostBits, leadingZeros } = network
  // The reference prints a mapped address as IPv4, with its prefix.
  const prefix = address.mapped ? Math.max(0, network.prefix - 96) : network.prefix
  const bytes = address.bytes.map((byte, index) => byte & ~(255 >> Math.max(0, Math.min(8, network.prefix - 8 * index))))
  const masked = `${formatAddress({ ...address, bytes })}/${prefix}`
  const warnings: string[] = []
  if (hostBits) {
    const single = `${formatAddress(address)}/${address.bytes.length * 8}`
    warnings.push(`${path}: CIDR value ${quoted(value)} is ambiguous in this context (should be ${quoted(masked)} or ${quoted(single)}?)`)
  }
  if (isOdd({ leadingZeros, mapped: address.mapped })) {
    warnings.push(`${path}: non-standard CIDR value ${quoted(value)} is invalid: use ${quoted(masked)}`)
  }
  if (warnings.length === 0 && masked !== value) {
    warnings.push(`${path}: IPv6 CIDR value ${quoted(value)} should be in RFC 5952 canonical format (${quoted(masked)})`)
  }
  return warnings
}
