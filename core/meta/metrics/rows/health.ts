import { counter, gauge } from '../../../metrics.ts'

/** Rows of `/metrics/slis`. `product`: the platform's word. */
export const healthRows = (product: string) => ({
  latest: gauge(`${product}_healthcheck`, {
    stability: 'STABLE',
    help: 'Latest result of a health check: 1, or 0 when it failed.',
    labels: ['name', 'type'],
  }),
  results: counter(`${product}_healthchecks_total`, {
    stability: 'STABLE',
    help: 'Results of a health check.',
    labels: ['name', 'type', 'status'],
  }),
})
