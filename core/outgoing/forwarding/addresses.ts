/** Addresses that requests to nodes, pods and services may go to. */

import { badRequest } from '../../answers/status.ts'
import type { Outbound } from '../../ports.ts'
import { isGlobalUnicast, parseAddress } from '../../schema/formats/ip.ts'
import { lookupError } from '../dial-error.ts'
import { addressOf, hostOf, portOf } from '../url-parts.ts'

/** A URL without path. `port` 0: the scheme's default. Throws 400 for a host that is no host name or IP address, and for what is no port. */
export function originOf(scheme: string, host: string, port: number | string): URL {
  const authority = host.includes(':') ? `[${host}]` : host
  // The URL parser decodes escapes, maps characters to others, and ignores what follows some of them.
  if (!/^[\w.:-]*$/.test(host) || !/^\d*$/.test(String(port))) throw badRequest('address not allowed')
  try {
    const url = new URL(`${scheme}://${authority}${port === 0 || port === '' ? '' : `:${port}`}`)
    if (url.pathname === '/' && url.username === '' && url.search === '' && url.hash === '') return url
  } catch {
    // Reported below.
  }
  throw badRequest('address not allowed')
}

/** Throws 400 for IP addresses that requests are never forwarded to, such as loopback and link-local ones. */
export function checkAddress(ip: string | undefined): void {
  const address = ip === undefined ? undefined : parseAddress(ip)
  if (address === undefined || !isGlobalUnicast(address)) throw badRequest('address not allowed')
}

/**
 * The address to connect to for a host: requests go to one that has been checked, whatever a second look-up would answer. Throws 400 for hosts
 * with an address that requests are never forwarded to.
 */
export async function checkedAddress(outbound: Pick<Outbound, 'resolve'>, origin: URL): Promise<string> {
  const host = hostOf(origin)
  if (parseAddress(host) !== undefined) {
    checkAddress(host)
    return addressOf(origin)
  }
  if (outbound.resolve === undefined) throw badRequest(`lookup ${host}: this runtime can't look up host names`)
  const addresses = await outbound.resolve(host).catch((error: unknown) => {
    throw badRequest(lookupError(error, host))
  })
  const [first = ''] = addresses
  if (first === '') throw badRequest('no addresses for hostname')
  for (const address of addresses) checkAddress(address)
  return addressOf(new URL(`${origin.protocol}//${first.includes(':') ? `[${first}]` : first}:${portOf(origin)}`))
}
