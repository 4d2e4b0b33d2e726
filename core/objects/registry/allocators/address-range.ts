/** A service IP range and its allocation order (KEP-3070: the lower band is reserved for addresses requested explicitly). */

import type { Family } from '../../../resources/core/service-defaults.ts'
import { type Address, contains, formatAddress, parseAddress, parseNetwork } from '../../../schema/formats/ip.ts'

const smallest = 16n
const maxBand = 256n
const bandShare = 16n

export interface AddressRange {
  readonly family: Family
  /** As `10.0.0.0/24`. */
  readonly text: string
  /** Number of usable addresses. */
  readonly size: number
  /** False for addresses outside the range. */
  contains(address: Address): boolean
  /** False for the network address, and for the broadcast address of IPv4. */
  isUsable(address: Address): boolean
  /** The network address, which no service gets. */
  readonly network: string
  /** The first usable address. */
  readonly first: string
  /** All usable addresses: the upper band from a random offset on, then the lower band likewise. */
  candidates(): Generator<string>
}

const toNumber = (bytes: readonly number[]) => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

function toText(value: bigint, length: number): string {
  const bytes = Array.from({ length }, (_, index) => Number((value >> BigInt(8 * (length - 1 - index))) & 255n))
  return formatAddress({ bytes, leadingZeros: false, mapped: false })
}

/** Need not be secret: it only keeps allocations of several servers apart. */
const random = (below: bigint) => BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)) % below

/** Size of the lower band, which is allocated last: a sixteenth of the range, between 16 and 256; none for small ranges. */
function bandOf(size: bigint): bigint {
  if (size <= smallest) return 0n
  const share = size / bandShare
  return share < smallest ? smallest : share > maxBand ? maxBand : share
}

/** Undefined when the text is not a CIDR. */
export function addressRange(text: string): AddressRange | undefined {
  const network = parseNetwork(text)
  if (network === undefined) return undefined
  const { bytes } = network.address
  const width = BigInt(bytes.length * 8)
  const size = 1n << (width - BigInt(network.prefix))
  const base = (toNumber(bytes) / size) * size
  const first = base + 1n
  const last = base + size - (bytes.length === 4 ? 2n : 1n)
  const middle = first + bandOf(size)

  function* turn(from: bigint, to: bigint): Generator<string> {
    const count = to - from + 1n
    if (count <= 0n) return
    const start = random(count)
    for (let step = 0n; step < count; step++) yield toText(from + ((start + step) % count), bytes.length)
  }

  return {
    family: bytes.length === 4 ? 'IPv4' : 'IPv6',
    text: `${toText(base, bytes.length)}/${network.prefix}`,
    network: toText(base, bytes.length),
    first: toText(first, bytes.length),
    size: Math.max(0, Number(last - first + 1n)),
    contains: (address) => contains(network, address),
    isUsable(address) {
      const value = toNumber(address.bytes)
      return address.bytes.length === bytes.length && value >= first && value <= last
    },
    *candidates() {
      yield* turn(middle, last)
      yield* turn(first, middle - 1n)
    },
  }
}

/** Canonical form of an address; other texts are returned unchanged. */
export function canonicalAddress(text: string): string {
  const address = parseAddress(text)
  return address ? formatAddress(address) : text
}
