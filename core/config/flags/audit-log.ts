import { bool, choice, duration, float, int, string } from '../flag-types.ts'
import { auditModes, auditVersion, truncateHelp } from './audit.ts'

export const auditLogFlags = {
  'audit-policy-file': string({ help: 'Audit policy: what is recorded of which requests.' }),
  'audit-log-path': string({ help: 'File that audit events are written to; - is standard output.' }),
  'audit-log-mode': choice({
    oneOf: auditModes,
    default: 'blocking',
    help: 'blocking holds responses until the event is written, blocking-strict also fails them, batch writes later.',
  }),
  'audit-log-format': choice({ oneOf: ['json', 'legacy'], default: 'json', help: 'json, or legacy: one line of text an event.' }),
  'audit-log-version': auditVersion({ help: 'Group and version of written events.' }),
  'audit-log-maxage': int({ min: 0, help: 'Days to keep old files, by the time in their names.' }),
  'audit-log-maxbackup': int({ min: 0, help: 'Old files to keep; 0: all.' }),
  'audit-log-maxsize': int({ min: 0, help: 'Megabytes at which a new file is begun.' }),
  'audit-log-compress': bool({ help: 'Compress old files with gzip.' }),
  'audit-log-batch-buffer-size': int({ default: 10_000, help: 'Events to hold before batches are made (batch mode).' }),
  'audit-log-batch-max-size': int({ default: 1, help: 'Events in a batch, at most (batch mode).' }),
  'audit-log-batch-max-wait': duration({ help: 'How long to wait for a batch to fill (batch mode).' }),
  'audit-log-batch-throttle-enable': bool({ help: 'Limit the rate of batches (batch mode).' }),
  'audit-log-batch-throttle-qps': float({ help: 'Batches a second, on average (batch mode).' }),
  'audit-log-batch-throttle-burst': int({ help: 'Batches at once after a pause (batch mode).' }),
  'audit-log-truncate-enabled': bool({ help: 'Cut events and batches that are too large.' }),
  'audit-log-truncate-max-batch-size': int({ default: 10_485_760, help: truncateHelp.batch }),
  'audit-log-truncate-max-event-size': int({ default: 102_400, min: 1, help: truncateHelp.event }),
}
