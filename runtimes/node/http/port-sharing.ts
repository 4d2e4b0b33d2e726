/** Ports that several processes listen on at once (SO_REUSEPORT). */
import { readFileSync } from 'node:fs'

/** Whether this runtime can share a port: Node since 22.12 and 23.1, Bun and Deno. */
export const canSharePorts = (): boolean => {
  const { versions } = process
  if (versions['bun'] !== undefined || versions['deno'] !== undefined) return true
  const [major = 0, minor = 0] = versions.node.split('.').map(Number)
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)
}

/** Parameter of Linux: connections that wait for a listener which closes move to another one of the same port. Default: they are reset. */
const migration = 'net.ipv4.tcp_migrate_req'

/** False when the kernel resets connections that wait for a listener which closes; undefined: not known. */
export function migratesConnections(): boolean | undefined {
  try {
    return readFileSync(`/proc/sys/${migration.replaceAll('.', '/')}`, 'latin1').trim() !== '0'
  } catch {
    return undefined
  }
}

/** What someone who wants to share a port should know about this host. */
export function sharingWarnings(): readonly string[] {
  if (!canSharePorts()) return [`--permit-port-sharing has no effect on Node ${process.versions.node}: it needs Node 22.12, 23.1 or newer`]
  if (migratesConnections() !== false) return []
  return [`--permit-port-sharing: connections that are being opened when a server stops listening may be reset, unless ${migration} is 1`]
}

/** Maximum milliseconds of a quiet turn of the event loop: hardly anything arrives in it. It grows by a thousandth of the time that has passed. */
const shortTurn = 0.05
/** Milliseconds to look for such a turn, and between looks: a process that has slept is not interrupted soon. */
const maxQuietWait = 2_000
const interval = 1

/**
 * Calls back in a turn of the event loop that has accepted no connection: then none waited, so that a listener which closes there loses none.
 * Node accepts one connection in a turn, so that some often wait. `accepted`: number of connections so far.
 */
export function inQuietTurn(accepted: () => number, use: () => void): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now()
    const look = () => {
      const [from, before] = [performance.now(), accepted()]
      setImmediate(() => {
        const now = performance.now()
        const isQuiet = accepted() === before && now - from < shortTurn + (now - began) / 1000
        if (!isQuiet && now - began < maxQuietWait) return void wait()
        use()
        resolve()
      })
    }
    const wait = () => setTimeout(() => setImmediate(look), interval)
    wait()
  })
}
