import { bool, choice, duration, float, int, string } from '../flag-types.ts'
import { sets } from '../option-flag.ts'
import { auditModes, auditVersion } from './audit.ts'

export const auditLogFlags = {
  'audit-policy-file': string({ ...sets('audit', 'auditPolicyFile'), path: 'file' }),
  'audit-log-path': string({ help: 'Path of the audit log; - is standard output.' }),
  'audit-log-mode': choice({ ...sets('audit', 'auditLogMode'), oneOf: auditModes }),
  'audit-log-format': choice({ ...sets('audit', 'auditLogFormat'), oneOf: ['json', 'legacy'] }),
  'audit-log-version': auditVersion({ help: 'API group and version of written events.' }),
  'audit-log-maxage': int({
    min: 0,
    default: 366,
    help: 'Maximum days to keep old files, by the timestamp in their names. 0: no limit.',
  }),
  'audit-log-maxbackup': int({ min: 0, default: 100, help: 'Maximum number of old files to keep. 0: all.' }),
  'audit-log-maxsize': int({
    min: 0,
    default: 100,
    help: 'Maximum size of a file in megabytes before it is rotated. 0: files are not rotated.',
  }),
  'audit-log-compress': bool({ help: 'Compress rotated files with gzip.' }),
  'audit-log-batch-buffer-size': int(sets('audit', 'auditLogBufferSize')),
  'audit-log-batch-max-size': int(sets('audit', 'auditLogBatchSize')),
  'audit-log-batch-max-wait': duration(sets('audit', 'auditLogBatchWait')),
  'audit-log-batch-throttle-enable': bool(sets('audit', 'auditLogThrottled')),
  'audit-log-batch-throttle-qps': float(sets('audit', 'auditLogThrottleQps')),
  'audit-log-batch-throttle-burst': int(sets('audit', 'auditLogThrottleBurst')),
  'audit-log-truncate-enabled': bool(sets('audit', 'auditLogTruncated')),
  'audit-log-truncate-max-batch-size': int(sets('audit', 'auditLogMaxBatchBytes')),
  'audit-log-truncate-max-event-size': int({ ...sets('audit', 'auditLogMaxEventBytes'), min: 1 }),
}
