/** Priority and fairness of one server: it follows the stored levels and schemas, and the number of objects of each resource. */

import { type PlainBody, Reply } from '../answers/reply.ts'
import { qualified } from '../answers/status.ts'
import { textStream } from '../answers/text-stream.ts'
import { dumpLevels, dumpQueues, dumpRequests, levelRows, queueRows, type Row, requestRows } from '../fairness/dump.ts'
import { createEstimator } from '../fairness/estimator.ts'
import { FlowControl } from '../fairness/flow-control.ts'
import { collectFairness } from '../fairness/metrics.ts'
import { ObjectCounts } from '../fairness/object-counts.ts'
import { WatchCounts } from '../fairness/watch-counts.ts'
import type { RequestMetrics } from '../filters/metrics.ts'
import type { FixedPath } from '../meta/fixed-request.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import type { StoredMetrics } from '../objects/storage/metrics.ts'
import { closing, follow } from '../objects/watch/follow.ts'
import type { Clock, OtherThreads } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { AssemblyContext } from './context.ts'

export interface Fairness {
  readonly control: FlowControl
  close(): void
}

/** Milliseconds between counts of objects. */
const countInterval = 60_000
/** Objects that the average size is computed from. */
const sampled = 50

/** Resolves when the stored levels and schemas are in force. */
export async function startFairness(
  table: ResourceTable,
  inFlight: RequestMetrics['inflight'],
  { options, ports: { clock, limits, threads }, settings, stored }: AssemblyContext,
): Promise<Fairness> {
  const { general, traffic, apis } = options
  const { platform } = general
  const objects = new ObjectCounts()
  const watches = new WatchCounts()
  const measure = settings.enabled('SizeBasedListCostEstimate') ? 'bytes' : 'objects'
  const control = new FlowControl({
    clock,
    seats: traffic.maxReadOnlyInFlight + traffic.maxMutatingInFlight,
    maxWaitWithoutDeadline: traffic.requestTimeout / 4,
    estimator: createEstimator({ objects, watches, measure, watchList: apis.watchList }),
    watches,
    flowHeaders: platform.flowHeaders,
    inFlight,
    limits,
  })
  collectFairness(general.metrics, control)
  if (threads) for (const { name, rows } of pagesOf(control)) threads.answer(name, (detailed) => rows(detailed === true))
  const storeOf = (plural: string) => table.lookup(platform.name('flowcontrol.apiserver.<domain>'), 'v1', plural)?.store
  const following = await followConfiguration(control, [storeOf('prioritylevelconfigurations'), storeOf('flowschemas')], clock)
  const stops = [control.start(), countObjects(table, objects, clock, measure === 'bytes' ? stored.sized : () => {}), following]
  return { control, close: () => stops.forEach((stop) => void stop()) }
}

/** Hands all objects over after each change that matters; resolves after the first time. */
async function followConfiguration(
  control: FlowControl,
  stores: readonly (ServedResource['store'] | undefined)[],
  clock: Clock,
): Promise<() => void> {
  let isReady = false
  const all = stores.map(() => new Map<string, ApiObject>())
  const configure = () => {
    const [levels = [], schemas = []] = all.map((objects) => [...objects.values()])
    if (isReady) control.configure(levels, schemas)
  }
  const identity = ({ metadata }: ApiObject) => `${metadata.uid}/${metadata.generation}`
  const followings = stores.flatMap((store, index) => {
    const objects = all[index]!
    if (store === undefined) return []
    return follow(store, clock, {
      upsert({ key, object }) {
        const known = objects.get(key)
        objects.set(key, object)
        // A change of the status changes nothing here.
        if (known === undefined || identity(known) !== identity(object)) configure()
      },
      remove({ key }) {
        objects.delete(key)
        configure()
      },
    })
  })
  const close = closing(followings)
  try {
    await Promise.all(followings.map(({ ready }) => ready))
  } catch (error) {
    close()
    throw error
  }
  isReady = true
  configure()
  return close
}

/** Counts the objects of all resources now and every minute. A resource that can't be counted keeps its last count. */
function countObjects(table: ResourceTable, objects: ObjectCounts, clock: Clock, sized: StoredMetrics['sized']): () => void {
  let isStopped = false
  let cancel = () => {}

  /** `same`: all resources and versions that serve the objects of one storage key; metrics name the first. */
  async function countOne(same: readonly ServedResource[]): Promise<void> {
    const [resource] = same as [ServedResource]
    const { groupResource: first } = resource
    try {
      // From the store itself: a list would load the cache of a resource that no client uses.
      const { items, remaining } = await resource.sample(sampled)
      const bytes = items.reduce((sum, { value }) => sum + value.length, 0)
      const size = items.length === 0 ? 0 : Math.ceil(bytes / items.length)
      const count = items.length + remaining
      for (const { groupResource: each } of same) objects.set(each.group, each.resource, { count, size }, clock.monotonic())
      sized(first.group, first.resource, size * count)
    } catch {
      sized(first.group, first.resource, undefined)
      // Outdated counts are taken for large ones.
    }
  }

  async function turn(): Promise<void> {
    const resources = table.all().filter(({ definition }) => definition.storageKey !== '')
    const byKey = new Map<string, ServedResource[]>()
    for (const resource of resources) {
      const { storageKey } = resource.definition
      const same = byKey.get(storageKey)
      if (same) same.push(resource)
      else byKey.set(storageKey, [resource])
    }
    for (const same of byKey.values()) if (!isStopped) await countOne(same)
    const served = new Set(resources.map(({ groupResource }) => qualified(groupResource)))
    objects.keep((group, resource) => served.has(qualified({ group, resource })))
    if (!isStopped) cancel = clock.after(countInterval, () => void turn())
  }

  void turn()
  return () => {
    isStopped = true
    cancel()
  }
}

const debugRoot = '/debug/api_priority_and_fairness'
const asText = (body: PlainBody) => new Reply(body, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } })

interface Page {
  readonly name: string
  /** What a thread tells others for their page. */
  rows(detailed: boolean): readonly Row[]
  /** The page, with the rows of other threads. */
  text(detailed: boolean, others: readonly Row[]): PlainBody
}

const pagesOf = (control: FlowControl): readonly Page[] => [
  { name: 'dump_priority_levels', rows: () => levelRows(control), text: (_, others) => dumpLevels(control, others) },
  { name: 'dump_queues', rows: () => [...queueRows(control)], text: (_, others) => textStream(dumpQueues(control, others)) },
  {
    name: 'dump_requests',
    rows: (detailed) => requestRows(control, detailed),
    text: (detailed, others) => dumpRequests(control, detailed, others),
  },
]

/** Paths that show the state of all threads. */
export function debugPaths({ control }: Fairness, threads: OtherThreads | undefined): readonly FixedPath[] {
  return pagesOf(control).map(({ name, text }) => ({
    path: `${debugRoot}/${name}`,
    async respond({ query }) {
      const detailed = Boolean(query.get('includeRequestDetails'))
      const others = (await threads?.ask(name, detailed)) ?? []
      return asText(text(detailed, others.flat() as readonly Row[]))
    },
  }))
}
