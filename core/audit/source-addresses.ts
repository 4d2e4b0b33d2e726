import { formatAddress, parseAddress } from '../schema/formats/ip.ts'

/** The address as Go prints it; undefined: not an address. */
function canonical(text: string): string | undefined {
  const address = parseAddress(text)
  return address && formatAddress(address)
}

/**
 * Addresses of the client and of the proxies it came through: X-Forwarded-For, X-Real-Ip if it is another one, and the peer, unless it is the
 * last of these. All but the last can be chosen by the client (apimachinery, util/net.SourceIPs).
 */
export function sourceAddresses(headers: Headers, peer: string): readonly string[] {
  const forwarded = headers.get('x-forwarded-for')
  const real = headers.get('x-real-ip')
  // IPv4 addresses of peers are canonical already; IPv6 ones may be IPv4-mapped.
  const last = peer === '' || peer.includes(':') ? canonical(peer) : peer
  if (forwarded === null && real === null) return last === undefined ? [] : [last]
  const found = (forwarded ?? '').split(',').flatMap((text) => canonical(text.trim()) ?? [])
  const proxied = canonical(real ?? '')
  if (proxied !== undefined && !found.includes(proxied)) found.push(proxied)
  if (last !== undefined && found.at(-1) !== last) found.push(last)
  return found
}
