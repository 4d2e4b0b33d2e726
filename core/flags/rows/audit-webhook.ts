import { bool, choice, duration, float, int, string } from '../flag-types.ts'
import { auditModes, auditVersion, truncateHelp } from './audit.ts'

export const auditWebhookFlags = {
  'audit-webhook-config-file': string({ path: 'file', help: 'Path of the connection file (kubeconfig format) for the audit webhook.' }),
  'audit-webhook-mode': choice({
    oneOf: auditModes,
    default: 'batch',
    help: 'batch: events are sent later. blocking: the response waits until the event is sent. blocking-strict: the request also fails if the event cannot be sent.',
  }),
  'audit-webhook-version': auditVersion({ help: 'API group and version of sent events.' }),
  'audit-webhook-initial-backoff': duration({ default: 10_000, help: 'Delay before the first retry.' }),
  'audit-webhook-batch-buffer-size': int({ default: 10_000, help: 'Size of the event buffer (batch mode).' }),
  'audit-webhook-batch-max-size': int({ default: 400, help: 'Maximum number of events in a batch (batch mode).' }),
  'audit-webhook-batch-max-wait': duration({ default: 30_000, help: 'Maximum time to wait for a batch to fill (batch mode).' }),
  'audit-webhook-batch-throttle-enable': bool({ default: true, help: 'Enable throttling of batches (batch mode).' }),
  'audit-webhook-batch-throttle-qps': float({ default: 10, help: 'Maximum average number of batches per second (batch mode).' }),
  'audit-webhook-batch-throttle-burst': int({ default: 15, help: 'Maximum number of batches sent at once after a pause (batch mode).' }),
  'audit-webhook-truncate-enabled': bool({ help: 'Enable truncation of events and batches that are too large.' }),
  'audit-webhook-truncate-max-batch-size': int({ default: 10_485_760, help: truncateHelp.batch }),
  'audit-webhook-truncate-max-event-size': int({ default: 102_400, min: 1, help: truncateHelp.event }),
}
