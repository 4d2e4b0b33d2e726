import { counter, histogram } from '../../../core/metrics.ts'

const dial = 'apiserver_egress_dialer_dial'
const labels = ['protocol', 'transport'] as const

/** Connections through proxies of the egress selector. */
export const egressRows = {
  starts: counter(`${dial}_start_total`, 'Dials through proxies of the egress selector.', { labels }),
  durations: histogram(`${dial}_duration_seconds`, 'Duration of successful dials through proxies of the egress selector, in seconds.', {
    labels,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  }),
  failures: counter(
    `${dial}_failure_count`,
    'Failed dials through proxies of the egress selector. Stage connect: to the proxy; proxy: from the proxy to the server.',
    { labels: ['protocol', 'stage', 'transport'] },
  ),
}
