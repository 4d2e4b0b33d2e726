import { bool, choice, duration, float, int, string } from '../flag-types.ts'
import { sets } from '../option-flag.ts'
import { auditModes, auditVersion } from './audit.ts'

export const auditWebhookFlags = {
  'audit-webhook-config-file': string({ ...sets('audit', 'auditWebhookFile'), path: 'file' }),
  'audit-webhook-mode': choice({ ...sets('audit', 'auditWebhookMode'), oneOf: auditModes }),
  'audit-webhook-version': auditVersion({ help: 'API group and version of sent events.' }),
  'audit-webhook-initial-backoff': duration(sets('audit', 'auditWebhookInitialBackoff')),
  'audit-webhook-batch-buffer-size': int(sets('audit', 'auditWebhookBufferSize')),
  'audit-webhook-batch-max-size': int(sets('audit', 'auditWebhookBatchSize')),
  'audit-webhook-batch-max-wait': duration(sets('audit', 'auditWebhookBatchWait')),
  'audit-webhook-batch-throttle-enable': bool(sets('audit', 'auditWebhookThrottled')),
  'audit-webhook-batch-throttle-qps': float(sets('audit', 'auditWebhookThrottleQps')),
  'audit-webhook-batch-throttle-burst': int(sets('audit', 'auditWebhookThrottleBurst')),
  'audit-webhook-truncate-enabled': bool(sets('audit', 'auditWebhookTruncated')),
  'audit-webhook-truncate-max-batch-size': int(sets('audit', 'auditWebhookMaxBatchBytes')),
  'audit-webhook-truncate-max-event-size': int({ ...sets('audit', 'auditWebhookMaxEventBytes'), min: 1 }),
}
