import { expired } from '../answers/status.ts'
import type { FeedList, FeedQuery } from '../objects/watch/feed.ts'
import type { Platform } from '../platform.ts'
import { StoreError } from '../ports.ts'
import { encodeContinue, inconsistent } from '../request/continue-token.ts'
import { type ListOptions, readListOptions } from '../request/options.ts'
import { entryQuery, shardOf } from './query.ts'
import { respondList } from './respond.ts'
import type { Services, Verb } from './services.ts'

/** 410 when the requested revision is compacted; for pages with a token for inconsistent continuation. */
function gone(platform: Platform, options: ListOptions, query: FeedQuery): Error {
  if (!options.continue) return expired('The resourceVersion for the provided list is too old.')
  const token = encodeContinue({ start: query.from ?? '', revision: inconsistent }, platform)
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    token,
  )
}

/** GET of a collection, at once or in pages at the same revision. */
export const list =
  ({ lists, answers }: Pick<Services, 'lists' | 'answers'>): Verb =>
  async (target) => {
    const { platform, watchList } = lists
    const options = readListOptions(target.exchange.query, platform, watchList)
    const query = entryQuery(lists, target, options)
    let found: FeedList
    try {
      found = await target.resource.store.list(query)
    } catch (error) {
      if (error instanceof StoreError && error.code === 'compacted') throw gone(platform, options, query)
      throw error
    }
    const next = found.next && encodeContinue({ start: found.next, revision: found.revision }, platform, target.resource.store.cached)
    return respondList(answers, target, found, next, shardOf(lists, options))
  }
