import { ApiError } from '../answers/status.ts'
import { type ListOptions, readListOptions } from '../request/options.ts'
import { readDelete } from './body.ts'
import { deleteOne } from './delete.ts'
import { ignoresUnreadable, notForCollections } from './delete-unreadable.ts'
import { entryQuery, shardOf } from './query.ts'
import { respondList } from './respond.ts'
import type { Services, Verb } from './services.ts'
import { submitDelete } from './submission.ts'

/** DELETE of a collection: deletes all selected objects, a few concurrently; answers with the list of them. */
export const deleteCollection =
  ({ bodies, lists, writes, answers }: Pick<Services, 'bodies' | 'lists' | 'writes' | 'answers'>): Verb =>
  async (target) => {
    const { exchange, resource } = target
    const options: ListOptions = readListOptions(exchange.query, lists.platform, lists.watchList)
    const deletion = await readDelete(bodies, target)
    if (ignoresUnreadable(writes, deletion)) throw notForCollections(writes.platform)
    const found = await resource.store.list(entryQuery(lists, target, options, true))
    const submission = submitDelete(writes, target, deletion)
    const left = found.entries.values()

    /** Each worker has its own time slices. */
    async function work(): Promise<void> {
      const slices = writes.pauses.slices(() => exchange.signal)
      for (const { namespace, name } of left) {
        if (slices.over) await slices.next()
        try {
          await deleteOne(writes, { ...target, namespace, name }, deletion, submission)
        } catch (error) {
          if (!(error instanceof ApiError && error.status.reason === 'NotFound')) throw error
        }
      }
    }

    await Promise.all(Array.from({ length: writes.deleteCollectionWorkers }, work))
    return respondList(answers, target, found, undefined, shardOf(lists, options))
  }
