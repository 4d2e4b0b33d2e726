/** Metrics of admission webhooks, by the names that dashboards for this API know. */
import type { WebhookObserver } from '../admission/webhooks/observer.ts'
import type { MetricsRegistry } from './metrics.ts'

const seconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]
/** Codes above are counted as this one: webhooks choose them. */
const highestCode = 600

export function createWebhookMetrics(registry: MetricsRegistry): WebhookObserver {
  const prefix = 'apiserver_admission_'
  const step = ['name', 'type', 'operation']
  const durations = registry.histogram(
    `${prefix}webhook_admission_duration_seconds`,
    'Time of calls of webhooks, in seconds.',
    [...step, 'rejected'],
    seconds,
  )
  const requests = registry.counter(`${prefix}webhook_request_total`, 'Calls of webhooks.', [...step, 'code', 'rejected'])
  const rejections = registry.counter(`${prefix}webhook_rejection_count`, 'Requests that were refused because of a webhook.', [
    ...step,
    'error_type',
    'rejection_code',
  ])
  const open = registry.counter(`${prefix}webhook_fail_open_count`, 'Calls that failed and refused nothing.', ['name', 'type'])
  const exclusions = registry.counter(`${prefix}match_condition_exclusions_total`, 'Requests that match conditions kept from a webhook.', [
    'name',
    'kind',
    'type',
    'operation',
  ])
  const codeText = (code: number) => String(Math.min(code, highestCode))
  return {
    called(name, type, operation, rejected, code, milliseconds) {
      durations.observe([name, type, operation, String(rejected)], milliseconds / 1000)
      requests.add([name, type, operation, codeText(code), String(rejected)])
    },
    rejected: (name, type, operation, error, code) => rejections.add([name, type, operation, error, codeText(code)]),
    failedOpen: (name, type) => open.add([name, type]),
    excluded: (name, type, operation) => exclusions.add([name, 'webhook', type, operation]),
  }
}
