import { gauge } from '../../../core/metrics.ts'

export const workerRows = {
  connections: gauge('apiserver_worker_connections', 'Open connections of a worker (--workers).', { labels: ['worker'] }),
}
