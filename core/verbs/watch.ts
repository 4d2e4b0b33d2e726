import { readListOptions } from '../request/options.ts'
import { parseWatchVersion } from '../request/resource-version.ts'
import { watchStream } from '../watch/stream.ts'
import { entryQuery, matcher, nameWanted } from './query.ts'
import { respondWatch, watchEncoder } from './respond.ts'
import type { Verb } from './services.ts'

/** The label `scope` of metrics. */
const level = ({ namespace, name }: { namespace: string; name?: string }) =>
  name !== undefined ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'

/**
 * Changes of a collection, from a resourceVersion on. Without one (or with 0) the current objects come first as ADDED;
 * `sendInitialEvents` adds a bookmark that says where they end (KEP-3157).
 */
export const watch: Verb = async (target) => {
  const { exchange, services, resource, namespace, name } = target
  const { on, definition } = resource
  const asked = readListOptions(new URLSearchParams([...exchange.query, ['watch', 'true']]), services.platform, services.watchList)
  // The old paths `/watch/…/NAME` say the name that others select.
  const named = { field: 'metadata.name', operator: '=', value: name } as const
  const options = name === '' ? asked : { ...asked, fieldSelector: [named, ...(asked.fieldSelector ?? [])] }
  const revision = parseWatchVersion(options.resourceVersion ?? '', resource.on)
  const matches = matcher(target, options)
  const scope = { namespace, ...nameWanted(options) }
  const fromState = options.sendInitialEvents === true || revision === 0
  const { limit: _limit, continue: _continue, ...unpaged } = options
  const state = fromState ? await resource.store.list(entryQuery(target, unpaged)) : undefined
  const minimum = services.minRequestTimeout
  const seconds = options.timeoutSeconds || minimum * (1 + Math.random())
  const encoder = watchEncoder(target)
  const labels = ['WATCH', on.group, definition.version, on.resource, '', level(scope), 'apiserver']
  services.longRunning.add(labels, 1)
  const stream = watchStream({
    store: resource.store,
    clock: services.clock,
    signal: exchange.signal,
    encoder,
    scope,
    ...(matches && { matches }),
    after: state?.revision ?? revision,
    initial: state?.entries ?? [],
    announceInitialEnd: options.sendInitialEvents === true && options.allowWatchBookmarks === true,
    bookmarks: options.allowWatchBookmarks === true,
    timeout: seconds * 1000,
    ended: () => services.longRunning.add(labels, -1),
  })
  return respondWatch(target, stream)
}
