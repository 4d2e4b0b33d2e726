/** Deletes candidates that have not renewed for 30 minutes (pkg/controlplane/controller/leaderelection/leasecandidategc_controller.go). */
import { isStale } from '../controllers/client.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import type { ServedResource } from '../registry/served.ts'
import { messageOf } from '../schema/message-of.ts'
import { candidateOf, isCandidateExpired } from './election.ts'

/** Milliseconds between collections. */
const interval = 30 * 60_000

/** Collects now and every 30 minutes; the returned function stops it. */
export function collectCandidates({ clock, logger, client }: ControllerContext, { definition, store }: ServedResource): () => void {
  const candidates = client(definition)
  let isStopped = false
  let cancel = () => {}

  async function collect(): Promise<void> {
    const { entries } = await store.list({ namespace: '' })
    for (const entry of entries) {
      const object = entry.decode()
      if (isStopped || !isCandidateExpired(candidateOf(object), clock.now())) continue
      const { namespace = '', name = '', uid, resourceVersion } = object.metadata
      try {
        // One that renewed meanwhile stays.
        await candidates.delete(namespace, name, { preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) } })
      } catch (error) {
        if (!isStale(error)) throw error
      }
    }
  }

  async function turn(): Promise<void> {
    try {
      await collect()
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'expired lease candidates could not be deleted')
    }
    if (!isStopped) cancel = clock.after(interval, () => void turn())
  }

  void turn()
  return () => {
    isStopped = true
    cancel()
  }
}
