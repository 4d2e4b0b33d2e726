import { counter } from '../../../metrics.ts'

export const auditRows = {
  events: counter('apiserver_audit_event_total', { help: 'Audit events passed to the backends.' }),
  levels: counter('apiserver_audit_level_total', { help: 'Requests by the audit level that the policy gave them.', labels: ['level'] }),
  errors: counter('apiserver_audit_error_total', { help: 'Audit events that a plugin lost.', labels: ['plugin'] }),
  rejected: counter('apiserver_audit_requests_rejected_total', {
    help: 'Requests that failed because their audit event could not be stored.',
  }),
}
