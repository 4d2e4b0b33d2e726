import { counter, gauge } from '../metrics.ts'

/** Registered group versions and the servers that have them. */
export const aggregationRows = {
  unavailable: gauge('aggregator_unavailable_apiservice', 'Registered group versions: 1 while their server can not be reached, else 0.', {
    labels: ['name'],
  }),
  becameUnavailable: counter(
    'aggregator_unavailable_apiservice_total',
    'Times that the server of a registered group version could not be reached any more, by the reason of the condition.',
    { labels: ['name', 'reason'] },
  ),
}
