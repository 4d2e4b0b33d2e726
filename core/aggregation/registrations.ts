import type { ServedResource } from '../objects/registry/served.ts'
import { follow } from '../objects/watch/follow.ts'
import type { Clock, Logger } from '../ports.ts'
import { messageOf } from '../schema/message-of.ts'
import type { Registration } from './registration.ts'

/** The stored registrations, which change while the server runs. */
export interface Registrations {
  /** By name. */
  readonly all: ReadonlyMap<string, Registration>
  /** Increased by every change. */
  readonly revision: number
  /** Calls `changed` with the name of each registration that is written or removed. The returned function ends that. */
  follow(changed: (name: string) => void): () => void
  close(): void
}

/** Resolves when the stored registrations are known, or could not be read: then they are read again until they can be. */
export async function followRegistrations({ store }: ServedResource, clock: Clock, logger: Logger): Promise<Registrations> {
  const all = new Map<string, Registration>()
  const followers = new Set<(name: string) => void>()
  let revision = 0
  const tell = (name: string) => {
    revision++
    for (const changed of followers) changed(name)
  }
  const following = follow(store, clock, {
    upsert({ name, object }) {
      all.set(name, object as unknown as Registration)
      tell(name)
    },
    remove({ name }) {
      all.delete(name)
      tell(name)
    },
  })
  await following.ready.catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'API services not loaded; retrying'))
  return {
    all,
    get revision() {
      return revision
    },
    follow(changed) {
      followers.add(changed)
      return () => void followers.delete(changed)
    },
    close: () => following.close(),
  }
}
