/** Limits of requests. */

import { rangeProblem } from '../config/bounds.ts'
import { option } from './option.ts'
import { bool, limited, milliseconds, number, oneOf, within } from './types.ts'

const unlessFair = 'With priority and fairness, it is added to the total concurrency limit.'

export const trafficOptions = {
  requestTimeout: option(milliseconds(), { default: 60_000, description: 'Timeout of requests that are not long-running.' }),
  minRequestTimeout: option(within({ min: 0 }), {
    default: 1800,
    description: 'Minimum timeout of watches in seconds. A watch without timeoutSeconds gets a random timeout between this and twice this.',
  }),
  repeatBookmarks: option(bool, {
    default: false,
    description:
      'Send bookmarks to watches also when nothing has changed, for runtimes that notice only when they send something that a client has left.',
  }),
  maxReadOnlyInFlight: option(within({ min: 0 }), {
    default: 400,
    description: `Maximum number of non-mutating requests in flight. 0: no limit. ${unlessFair}`,
  }),
  maxMutatingInFlight: option(within({ min: 0 }), {
    default: 200,
    description: `Maximum number of mutating requests in flight. 0: no limit. ${unlessFair}`,
  }),
  priorityAndFairness: option(oneOf(['off', 'objects', 'on']), {
    default: 'off',
    description:
      "Whether the cluster's priority levels and flow schemas are kept (objects), and whether requests are queued and dispatched by them (on).",
  }),
  maxConnectionBytesPerSecond: option(within({ min: 0 }), {
    default: 0,
    description:
      'Maximum bytes per second, each way, of a connection that has switched protocols: exec, attach, port-forward, proxies. 0: no limit.',
  }),
  deleteCollectionWorkers: option(within({ min: 1 }), {
    default: 1,
    description: 'Maximum number of concurrent deletions within one deletecollection request.',
  }),
  goawayChance: option(
    limited(number, (chance) => rangeProblem(chance, { min: 0, max: 0.02 })),
    {
      default: 0,
      description:
        'Probability that an HTTP/2 request closes its connection with GOAWAY, 0 to 0.02. Use it only with several servers behind a load balancer.',
    },
  ),
}
