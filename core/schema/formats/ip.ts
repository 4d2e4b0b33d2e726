/** IP addresses and networks (RFC 4291, RFC 4632, RFC 5952), without regular expressions. */

export interface Address {
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[]
  /** Written with redundant leading zeros, which some software reads as octal. */
  readonly leadingZeros: boolean
  /** An IPv4 address written as IPv6, `::ffff:1.2.3.4`. */
  readonly mapped: boolean
}

function decimal(text: string, max: number): { value: number; padded: boolean } | undefined {
  if (text.length === 0 || text.length > 8) return undefined
  let value = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
    if (value > max) return undefined
  }
  return { value, padded: text.length > 1 && text[0] === '0' }
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.', 5).map((part) => decimal(part, 255))
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  for (const part of parts) {
    if (part === undefined) return undefined
    bytes.push(part.value)
  }
  return { bytes, leadingZeros: parts.some((part) => part?.padded), mapped: false }
}

function group(text: string): number | undefined {
  return /^[0-9a-fA-F]{1,4}$/.test(text) ? Number.parseInt(text, 16) : undefined
}

/** Bytes of colon-separated groups; the last one may be an IPv4 address. */
function groups(text: string): { bytes: number[]; leadingZeros: boolean } | undefined {
  if (text === '') return { bytes: [], leadingZeros: false }
  const bytes: number[] = []
  let leadingZeros = false
  const parts = text.split(':', 9)
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1 && part.includes('.')) {
      const v4 = parseV4(part)
      if (v4 === undefined) return undefined
      bytes.push(...v4.bytes)
      leadingZeros = v4.leadingZeros
      continue
    }
    const value = group(part)
    if (value === undefined) return undefined
    bytes.push(value >> 8, value & 255)
  }
  return { bytes, leadingZeros }
}

function parseV6(text: string): Address | undefined {
  const gap = text.indexOf('::')
  const head = groups(gap < 0 ? text : text.slice(0, gap))
  const tail = groups(gap < 0 ? '' : text.slice(gap + 2))
  if (head === undefined || tail === undefined || (gap >= 0 && text.slice(0, gap).includes('.'))) return undefined
  const given = head.bytes.length + tail.bytes.length
  if (gap < 0 ? given !== 16 : given > 14) return undefined
  const bytes = [...head.bytes, ...new Array<number>(16 - given).fill(0), ...tail.bytes]
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return { bytes, leadingZeros: head.leadingZeros || tail.leadingZeros, mapped }
}

/** Accepts leading zeros in IPv4, as the reference does for old fields. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 45 + 24) return undefined
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

/** Canonical form: dotted IPv4 (also for mapped addresses), RFC 5952 for IPv6. */
export function formatAddress({ bytes, mapped }: Address): string {
  if (bytes.length === 4) return bytes.join('.')
  if (mapped) return bytes.slice(12).join('.')
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0))
  let start = -1
  let length = 1
  for (let i = 0; i < 8; i++) {
    let run = 0
    while (words[i + run] === 0) run++
    if (run > length) [start, length] = [i, run]
  }
  const hex = (part: number[]) => part.map((word) => word.toString(16)).join(':')
  return start < 0 ? hex(words) : `${hex(words.slice(0, start))}::${hex(words.slice(start + length))}`
}

export interface Network {
  readonly address: Address
  readonly prefix: number
  readonly leadingZeros: boolean
  /** Whether bits beyond the prefix are set. */
  readonly hostBits: boolean
}

export function parseNetwork(text: string): Network | undefined {
  const slash = text.lastIndexOf('/')
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash))
  if (address === undefined) return undefined
  const prefix = decimal(text.slice(slash + 1), address.bytes.length * 8)
  if (prefix === undefined) return undefined
  const hostBits = address.bytes.some((byte, i) => {
    const kept = Math.max(0, Math.min(8, prefix.value - 8 * i))
    return (byte & (255 >> kept)) !== 0
  })
  return { address, prefix: prefix.value, leadingZeros: address.leadingZeros || prefix.padded, hostBits }
}

/** Whether the network contains the address. */
export function contains(network: Network, address: Address): boolean {
  const { bytes } = network.address
  return (
    bytes.length === address.bytes.length &&
    bytes.every((byte, i) => {
      const kept = Math.max(0, Math.min(8, network.prefix - 8 * i))
      return ((byte ^ (address.bytes[i] ?? 0)) & ~(255 >> kept) & 255) === 0
    })
  )
}

const notGlobalUnicast = [
  ...['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
]

/** False for unspecified, loopback, link-local, multicast and broadcast addresses (as Go's `net.IP.IsGlobalUnicast`). */
export function isGlobalUnicast(given: Address): boolean {
  // A mapped address stands for the IPv4 address in it, also when it is connected to.
  const address = given.mapped ? { ...given, bytes: given.bytes.slice(12), mapped: false } : given
  return !notGlobalUnicast.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && contains(network, address)
  })
}
