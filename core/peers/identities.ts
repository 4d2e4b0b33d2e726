import { identitySelector } from '../controllers/bootstrap/identity-lease.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import type { ObjectRef } from '../objects/storage/keys.ts'
import { type Following, follow } from '../objects/watch/follow.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'

export interface IdentitiesOptions {
  readonly leases: ServedResource
  /** Name of this server. */
  readonly identity: string
  readonly platform: Platform
  readonly clock: Clock
  readonly logger: Logger
  /** A server has come, or was started again. */
  came(identity: string): void
  /** Its lease is gone. */
  went(identity: string): void
}

/** Follows the identity leases of the other servers. Resolves when they are known, or could not be read: then they are read again. */
export async function followIdentities(options: IdentitiesOptions): Promise<Following> {
  const { leases, identity, platform, clock, logger, came, went } = options
  const isIdentity = identitySelector(platform)
  /** By name; a server that is started again has another holder. */
  const holders = new Map<string, string>()

  function remove({ name }: ObjectRef): void {
    if (holders.delete(name)) went(name)
  }

  const following = follow(
    leases.store,
    clock,
    {
      upsert(entry) {
        const { name } = entry
        const { metadata, spec } = entry.object
        const holder = (spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity
        if (name === identity || holder === undefined || !isIdentity(metadata.labels)) return remove(entry)
        if (holders.get(name) === holder) return
        holders.set(name, holder)
        came(name)
      },
      remove,
    },
    platform.namespaces.system,
  )
  await following.ready.catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'identity leases not loaded; retrying'))
  return following
}
