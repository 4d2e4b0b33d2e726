/** Collection of the identity leases of servers that are gone. */
import { isStale } from '../controllers/client.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import type { ApiObject } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import { epochMilliseconds } from '../schema/time.ts'
import { identityLabel } from './identity-lease.ts'

/** Milliseconds between collections. */
const interval = 3_600_000

/** Leases without these fields are not from a server. */
function isExpired({ spec }: ApiObject, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = (spec ?? {}) as { readonly renewTime?: string; readonly leaseDurationSeconds?: number }
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true
  return (epochMilliseconds(renewTime) ?? 0) + leaseDurationSeconds * 1000 < now
}

/** Deletes expired identity leases now and every hour (pkg/controlplane/controller/apiserverleasegc); the returned function stops it. */
export function collectIdentityLeases(context: ControllerContext): () => void {
  const { clock, logger, platform, table } = context
  const resource = table.lookup(platform.name('coordination.<domain>'), 'v1', 'leases')
  if (resource === undefined) return () => {}
  const { store } = resource
  const leases = context.client(resource.definition)
  const isIdentity = ({ labels = {} }: ApiObject['metadata']) =>
    Object.entries(identityLabel(platform)).every(([name, value]) => labels[name] === value)
  const namespace = platform.namespaces.system
  let isStopped = false
  let cancel = () => {}

  async function collect(): Promise<void> {
    const { entries } = await store.list({ namespace })
    for (const entry of entries) {
      const lease = entry.decode()
      const { name = '', uid, resourceVersion } = lease.metadata
      if (isStopped || !isIdentity(lease.metadata) || !isExpired(lease, clock.now())) continue
      try {
        // One that was renewed meanwhile stays.
        await leases.delete(namespace, name, { preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) } })
      } catch (error) {
        if (!isStale(error)) throw error
      }
    }
  }

  async function turn(): Promise<void> {
    try {
      await collect()
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'expired identity leases of API servers could not be deleted')
    }
    if (!isStopped) cancel = clock.after(interval, () => void turn())
  }

  void turn()
  return () => {
    isStopped = true
    cancel()
  }
}
