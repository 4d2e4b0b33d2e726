import { Pauses } from '../common/slices.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import type { ApiObject } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import { ownWrite } from './client.ts'
import type { ControllerContext } from './controller.ts'
import { repeatEvery } from './repeat.ts'

export interface ExpiredObjects {
  readonly resource: ServedResource
  /** Empty: all namespaces. */
  readonly namespace: string
  /** Milliseconds between collections. */
  readonly interval: number
  /** What the objects are, for the log. */
  readonly what: string
  /** `now`: milliseconds since the epoch. */
  isExpired(object: ApiObject, now: number): boolean
}

/** Deletes expired objects now and at intervals; the returned function stops it. */
export function collectExpired(
  { clock, logger, client }: ControllerContext,
  { resource: { definition, store }, namespace, interval, what, isExpired }: ExpiredObjects,
): () => void {
  const objects = client(definition)
  const pauses = new Pauses(clock)
  let isStopped = false

  async function collect(): Promise<void> {
    const { entries } = await store.list({ namespace })
    const slices = pauses.sharedSlices()
    for (const entry of entries) {
      if (slices.over) await slices.next()
      const object = entry.copy()
      if (isStopped || !isExpired(object, clock.now())) continue
      const { namespace: within = '', name = '', uid, resourceVersion } = object.metadata
      // Deleted only at the revision that was read: an object that was renewed meanwhile stays.
      const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
      await ownWrite(() => objects.delete(within, name, { preconditions }))
    }
  }

  const failed = (error: unknown) => logger.warn({ error: messageOf(error) }, `expired ${what} could not be deleted`)
  const repetition = repeatEvery(clock, interval, () => collect().catch(failed))
  return () => {
    isStopped = true
    void repetition.stop()
  }
}
