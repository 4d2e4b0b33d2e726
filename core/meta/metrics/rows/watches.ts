import { counter, doubling, histogram } from '../../../metrics.ts'

const labels = ['group', 'version', 'resource'] as const
const maxSeries = 2_000

/** What watches send. */
export const watchRows = {
  events: counter('apiserver_watch_events_total', { help: 'Events that watches sent.', labels, maxSeries }),
  sizes: histogram('apiserver_watch_events_sizes', {
    help: 'Size of the events that watches sent, in bytes.',
    buckets: doubling(1024, 8),
    labels,
    maxSeries,
  }),
  initial: histogram('apiserver_watch_list_duration_seconds', {
    stability: 'BETA',
    help: 'Time until a watch had sent its initial events and their bookmark, in seconds.',
    buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
    labels: [...labels, 'scope'],
    maxSeries,
  }),
}
