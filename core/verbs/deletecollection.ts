import { ApiError } from '../answers/status.ts'
import { type ListOptions, readListOptions } from '../request/options.ts'
import { readDelete } from './body.ts'
import { deleteOne } from './delete.ts'
import { ignoresUnreadable, notForCollections } from './delete-unreadable.ts'
import { entryQuery, shardOf } from './query.ts'
import { respondList } from './respond.ts'
import type { Verb } from './services.ts'
import { submitDelete } from './submission.ts'

/** DELETE of a collection: deletes all selected objects, a few concurrently; answers with the list of them. */
export const deleteCollection: Verb = async (target) => {
  const { exchange, services, resource } = target
  const options: ListOptions = readListOptions(exchange.query, services.platform, services.watchList)
  const deletion = await readDelete(target)
  if (ignoresUnreadable(target, deletion)) throw notForCollections(services.platform)
  const found = await resource.store.list(entryQuery(target, options, true))
  const submission = submitDelete(target, deletion)
  const left = found.entries.values()

  /** Each worker has its own time slices. */
  async function work(): Promise<void> {
    const slices = services.pauses.slices(() => exchange.signal)
    for (const entry of left) {
      if (slices.over) await slices.next()
      const { namespace, name } = resource.store.keys.parse(entry.key)
      try {
        await deleteOne({ ...target, namespace, name }, deletion, submission)
      } catch (error) {
        if (!(error instanceof ApiError && error.status.reason === 'NotFound')) throw error
      }
    }
  }

  await Promise.all(Array.from({ length: services.deleteCollectionWorkers }, work))
  return respondList(target, found, undefined, shardOf(target, options))
}
