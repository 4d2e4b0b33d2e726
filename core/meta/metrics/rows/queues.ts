import { counter, gauge, histogram } from '../../../metrics.ts'

/** Ten bounds, each ten times the one before: the products, which differ from powers of ten in their last digit. */
const seconds = Array.from({ length: 9 }).reduce<number[]>((bounds) => [...bounds, (bounds.at(-1) ?? 0) * 10], [1e-8])
const beta = { stability: 'BETA', labels: ['name'] } as const

/** Work queues of controllers. */
export const queueRows = {
  adds: counter('workqueue_adds_total', { ...beta, help: 'Keys added to a queue.' }),
  depth: gauge('workqueue_depth', { ...beta, help: 'Keys that wait in a queue.' }),
  longest: gauge('workqueue_longest_running_processor_seconds', {
    ...beta,
    help: 'Time that the longest running work on a key has taken so far, in seconds.',
  }),
  waits: histogram('workqueue_queue_duration_seconds', {
    ...beta,
    help: 'Time that keys waited in a queue, in seconds.',
    buckets: seconds,
  }),
  retries: counter('workqueue_retries_total', { ...beta, help: 'Keys that were added again after a failure, or for later.' }),
  unfinished: gauge('workqueue_unfinished_work_seconds', {
    ...beta,
    help: 'Time that all running work has taken so far, in seconds.',
  }),
  durations: histogram('workqueue_work_duration_seconds', {
    ...beta,
    help: 'Duration of the work on a key, in seconds.',
    buckets: seconds,
  }),
}
