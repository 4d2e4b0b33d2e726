import { counter, doubling, histogram, type Metrics, type Recorded } from '../../metrics.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import type { cacheRows } from '../storage/metrics.ts'

const labels = ['group', 'version', 'resource'] as const
const maxSeries = 2_000

/** What watches send. */
export const watchRows = {
  events: counter('apiserver_watch_events_total', 'Events that watches sent.', { labels, maxSeries }),
  sizes: histogram('apiserver_watch_events_sizes', 'Size of the events that watches sent, in bytes.', {
    buckets: doubling(1024, 8),
    labels,
    maxSeries,
  }),
  initial: histogram(
    'apiserver_watch_list_duration_seconds',
    'Time until a watch had sent its initial events and their bookmark, in seconds.',
    {
      stability: 'BETA',
      buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
      labels: [...labels, 'scope'],
      maxSeries,
    },
  ),
}

export type WatchMetrics = ReturnType<ReturnType<typeof watchMetrics>>

/** What counts the watches of a resource in one version. */
export function watchMetrics(metrics: Metrics, { replayed, terminated }: Pick<Recorded<typeof cacheRows>, 'replayed' | 'terminated'>) {
  const { events, sizes, initial } = metrics.record(watchRows)
  function create({ group, version, names: { plural } }: ResourceDefinition) {
    const count = events.in([group, version, plural])
    const size = sizes.in([group, version, plural])
    return {
      /** An event was sent, with its size in bytes. */
      sent(bytes: number): void {
        count()
        size(bytes)
      },
      /** A watch has sent its initial events and their bookmark; seconds since its request. `scope`: cluster, namespace or resource. */
      initialized: (scope: string, seconds: number): void => initial.observe([group, version, plural, scope], seconds),
      /** The client did not keep up and was disconnected. */
      terminated: (): void => terminated.add([group, plural]),
      /** Number of objects in the state from which the watch starts. */
      replayed: (number: number): void => replayed.add([group, plural], number),
    }
  }
  const known = new WeakMap<ResourceDefinition, ReturnType<typeof create>>()
  return (definition: ResourceDefinition) => {
    let found = known.get(definition)
    if (found === undefined) {
      found = create(definition)
      known.set(definition, found)
    }
    return found
  }
}
