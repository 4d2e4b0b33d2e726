import { gauge, histogram, type Recorded } from '../metrics.ts'

export const resourceRows = {
  bodySizes: histogram('apiserver_request_body_size_bytes', 'Size of request bodies, in bytes.', {
    labels: ['resource', 'verb', 'group'],
    buckets: Array.from({ length: 31 }, (_, step) => 50_000 + 100_000 * step),
    maxSeries: 5_000,
  }),
  deprecated: gauge('apiserver_requested_deprecated_apis', 'Requested deprecated APIs.', {
    stability: 'STABLE',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  }),
}

export type ResourceMetrics = Recorded<typeof resourceRows>
