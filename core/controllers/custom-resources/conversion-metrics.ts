import { counter, doubling, histogram, type Recorded } from '../../metrics.ts'

const call = ['result', 'failure_type'] as const

/** Conversion webhooks of custom resources. */
export const conversionRows = {
  calls: counter('apiserver_conversion_webhook_request_total', 'Calls of conversion webhooks.', { labels: call }),
  callDurations: histogram('apiserver_conversion_webhook_duration_seconds', 'Duration of a call of a conversion webhook, in seconds.', {
    labels: call,
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
  }),
  durations: histogram(
    'apiserver_crd_conversion_webhook_duration_seconds',
    'Duration of a conversion by a webhook, by custom resource definition, in seconds.',
    { labels: ['crd_name', 'from_version', 'to_version', 'succeeded'], buckets: doubling(0.001, 15) },
  ),
}

export type ConversionMetrics = Recorded<typeof conversionRows>
