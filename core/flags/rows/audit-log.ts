import { bool, choice, duration, float, int, string } from '../flag-types.ts'
import { auditModes, auditVersion, truncateHelp } from './audit.ts'

export const auditLogFlags = {
  'audit-policy-file': string({ path: 'file', kind: 'Policy', help: 'Path of the audit policy file.' }),
  'audit-log-path': string({ help: 'Path of the audit log; - is standard output.' }),
  'audit-log-mode': choice({
    oneOf: auditModes,
    default: 'blocking',
    help: 'blocking: the response waits until the event is written. blocking-strict: the request also fails if the event cannot be written. batch: events are written later.',
  }),
  'audit-log-format': choice({ oneOf: ['json', 'legacy'], default: 'json', help: 'json, or legacy: one line of text per event.' }),
  'audit-log-version': auditVersion({ help: 'API group and version of written events.' }),
  'audit-log-maxage': int({ min: 0, help: 'Maximum days to keep old files, by the timestamp in their names.' }),
  'audit-log-maxbackup': int({ min: 0, help: 'Maximum number of old files to keep. 0: all.' }),
  'audit-log-maxsize': int({ min: 0, help: 'Maximum size of a file in megabytes before it is rotated.' }),
  'audit-log-compress': bool({ help: 'Compress rotated files with gzip.' }),
  'audit-log-batch-buffer-size': int({ default: 10_000, help: 'Size of the event buffer (batch mode).' }),
  'audit-log-batch-max-size': int({ default: 1, help: 'Maximum number of events in a batch (batch mode).' }),
  'audit-log-batch-max-wait': duration({ help: 'Maximum time to wait for a batch to fill (batch mode).' }),
  'audit-log-batch-throttle-enable': bool({ help: 'Enable throttling of batches (batch mode).' }),
  'audit-log-batch-throttle-qps': float({ help: 'Maximum average number of batches per second (batch mode).' }),
  'audit-log-batch-throttle-burst': int({ help: 'Maximum number of batches sent at once after a pause (batch mode).' }),
  'audit-log-truncate-enabled': bool({ help: 'Enable truncation of events and batches that are too large.' }),
  'audit-log-truncate-max-batch-size': int({ default: 10_485_760, help: truncateHelp.batch }),
  'audit-log-truncate-max-event-size': int({ default: 102_400, min: 1, help: truncateHelp.event }),
}
