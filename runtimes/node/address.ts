import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'

const unspecified = new Set(['', '0.0.0.0', '::'])

/** The first address of this host that others can reach; the loopback address when there is none. */
function hostAddress(): string {
  const outside = Object.values(networkInterfaces()).flatMap(
    (each) => each?.filter(({ internal, family }) => !internal && family === 'IPv4') ?? [],
  )
  return outside[0]?.address ?? '127.0.0.1'
}

const isLoopback = (address: string) => address === '::1' || address.startsWith('127.')

/**
 * The address that cluster members use (`--advertise-address`), which falls back to the bind address and, where others could not
 * reach that, to the host's own.
 */
export function advertisedAddress(advertise: string | undefined, bind: string): string {
  if (advertise) return advertise
  return unspecified.has(bind) || isLoopback(bind) ? hostAddress() : bind
}

/** Where a client on this machine reaches the server. */
export function localAddress(bind: string): string {
  return unspecified.has(bind) ? '127.0.0.1' : bind
}

/** Whether a name of a host is an address. A start would wait 4 ms for the expression behind `net.isIP`. */
export const isAddress = (name: string): boolean => name.includes(':') || isIPv4(name)

/** `host:port`, with brackets around IPv6 addresses. */
export const hostPort = (host: string, port: number) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)
