import { bool, choice, duration, float, int, string } from '../flag-types.ts'
import { auditModes, auditVersion, truncateHelp } from './audit.ts'

export const auditWebhookFlags = {
  'audit-webhook-config-file': string({ help: 'Connection file of a service that audit events are sent to.' }),
  'audit-webhook-mode': choice({
    oneOf: auditModes,
    default: 'batch',
    help: 'batch sends later, blocking holds responses until the event is sent, blocking-strict also fails them.',
  }),
  'audit-webhook-version': auditVersion({ help: 'Group and version of sent events.' }),
  'audit-webhook-initial-backoff': duration({ default: 10_000, help: 'Time before the first retry.' }),
  'audit-webhook-batch-buffer-size': int({ default: 10_000, help: 'Events to hold before batches are made (batch mode).' }),
  'audit-webhook-batch-max-size': int({ default: 400, help: 'Events in a batch, at most (batch mode).' }),
  'audit-webhook-batch-max-wait': duration({ default: 30_000, help: 'How long to wait for a batch to fill (batch mode).' }),
  'audit-webhook-batch-throttle-enable': bool({ default: true, help: 'Limit the rate of batches (batch mode).' }),
  'audit-webhook-batch-throttle-qps': float({ default: 10, help: 'Batches a second, on average (batch mode).' }),
  'audit-webhook-batch-throttle-burst': int({ default: 15, help: 'Batches at once after a pause (batch mode).' }),
  'audit-webhook-truncate-enabled': bool({ help: 'Cut events and batches that are too large.' }),
  'audit-webhook-truncate-max-batch-size': int({ default: 10_485_760, help: truncateHelp.batch }),
  'audit-webhook-truncate-max-event-size': int({ default: 102_400, min: 1, help: truncateHelp.event }),
}
