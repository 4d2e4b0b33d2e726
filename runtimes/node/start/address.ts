import { networkInterfaces } from 'node:os'

const unspecified = new Set(['', '0.0.0.0', '::'])

/** The first address of this host that is not a loopback address; else the loopback address. */
function hostAddress(): string {
  const outside = Object.values(networkInterfaces()).flatMap(
    (each) => each?.filter(({ internal, family }) => !internal && family === 'IPv4') ?? [],
  )
  return outside[0]?.address ?? '127.0.0.1'
}

const isLoopback = (address: string) => address === '::1' || address.startsWith('127.')

/**
 * The address for members of the cluster: `--advertise-address`, or the bind address, or, when that is not reachable from other hosts, the
 * address of this host.
 */
export function advertisedAddress(advertise: string | undefined, bind: string): string {
  if (advertise) return advertise
  return unspecified.has(bind) || isLoopback(bind) ? hostAddress() : bind
}

/** Address at which local clients reach the server. */
export function localAddress(bind: string): string {
  return unspecified.has(bind) ? '127.0.0.1' : bind
}
