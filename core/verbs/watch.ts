import { sourceOf } from '../answers/byte-source.ts'
import { respondWatch } from '../answers/rendering/respond-watch.ts'
import { ApiError, badRequest } from '../answers/status.ts'
import { type WatchEncoder, watchStream } from '../objects/watch/stream.ts'
import { exactField } from '../request/field-selector.ts'
import { type ListOptions, readListOptions } from '../request/options.ts'
import { parseVersion } from '../request/resource-version.ts'
import { entryQuery, watchSelection } from './query.ts'
import type { ListServices, Services, Target, Verb } from './services.ts'
import { scopeOf } from './verb-span.ts'

/** Options of a watch whose path names the object. Throws 400 when they select another name. */
function named(asked: ListOptions, name: string): ListOptions {
  const { fieldSelector = [] } = asked
  if (fieldSelector.length === 0) return { ...asked, fieldSelector: [{ field: 'metadata.name', operator: '=', value: name }] }
  if (exactField(fieldSelector, 'metadata.name') === name) return asked
  throw badRequest("fieldSelector metadata.name doesn't match requested name")
}

/** The state from which a watch starts; an error is to be its only event, because the client's credentials and options were accepted. */
async function stateOf(lists: ListServices, target: Target, { limit: _limit, continue: _continue, ...options }: ListOptions) {
  try {
    return await target.resource.store.list(entryQuery(lists, target, options))
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/**
 * What a watch gets whose time is over before it begins: a negative `timeoutSeconds`. In the reference it ends without events half of the time, too,
 * and with a resourceVersion nearly always.
 */
const overBefore = ({ resourceVersion = '' }: ListOptions) =>
  resourceVersion === '' ? new ApiError('InternalError', 'context deadline exceeded') : undefined

const nothing = new Uint8Array(0)

/**
 * Watches a collection from a resourceVersion on. Without one (or with 0) current objects are sent first as ADDED;
 * `sendInitialEvents` adds a bookmark after them (KEP-3157).
 */
export const watch =
  ({ lists, watches, answers }: Pick<Services, 'lists' | 'watches' | 'answers'>): Verb =>
  async (target) => {
    const { exchange, resource, name } = target
    const asked = readListOptions(new URLSearchParams([...exchange.query, ['watch', 'true']]), lists.platform, lists.watchList)
    // The deprecated paths `/watch/…/NAME` put the name into the path.
    const options = name === '' ? asked : named(asked, name)
    const revision = parseVersion(options.resourceVersion ?? '')
    const { scope, matches } = watchSelection(lists, target, options)
    const { sendInitialEvents } = options
    if ((options.timeoutSeconds ?? 0) < 0) {
      const error = overBefore(options)
      return respondWatch(answers, target, (encoder) => sourceOf(error ? encoder.error(error) : nothing))
    }
    const fromState = sendInitialEvents === true || revision === 0
    const state = fromState ? await stateOf(lists, target, options) : undefined
    const minimum = watches.minRequestTimeout
    const seconds = options.timeoutSeconds || minimum * (1 + Math.random())
    if (state instanceof ApiError) return respondWatch(answers, target, (encoder) => sourceOf(encoder.error(state)))
    const announceInitialEnd = sendInitialEvents === true && options.allowWatchBookmarks === true
    const observer = watches.metricsOf(resource.definition)
    const open = (encoder: WatchEncoder) =>
      watchStream({
        store: resource.store,
        alarms: watches.alarms,
        owner: exchange,
        encoder,
        observer,
        scope,
        ...(matches && { matches }),
        after: state?.revision ?? revision,
        initial: sendInitialEvents === false ? [] : (state?.entries ?? []),
        initialized() {
          exchange.seat?.leave()
          if (announceInitialEnd) observer.initialized(scopeOf(exchange.info), (watches.clock.monotonic() - exchange.received) / 1000)
        },
        announceInitialEnd,
        bookmarks: options.allowWatchBookmarks === true && (watches.repeatBookmarks ? 'always' : true),
        timeout: seconds * 1000,
      })
    return respondWatch(answers, target, open)
  }
