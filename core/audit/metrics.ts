import { counter, type Recorded } from '../metrics.ts'
import type { Level } from './policy.ts'

export const auditRows = {
  events: counter('apiserver_audit_event_total', 'Audit events passed to the backends.'),
  levels: counter('apiserver_audit_level_total', 'Requests by the audit level that the policy gave them.', { labels: ['level'] }),
  errors: counter('apiserver_audit_error_total', 'Audit events that a plugin lost.', { labels: ['plugin'] }),
  rejected: counter('apiserver_audit_requests_rejected_total', 'Requests that failed because their audit event could not be stored.'),
}

export type AuditCounts = ReturnType<typeof auditCounts>

/** What counts evaluations of the policy by their result, events that are made, and requests that fail because theirs can't be stored. */
export function auditCounts({ events, levels, rejected }: Pick<Recorded<typeof auditRows>, 'events' | 'levels' | 'rejected'>) {
  const ofLevel = (level: Level) => levels.in([level])
  const evaluated = {
    None: ofLevel('None'),
    Metadata: ofLevel('Metadata'),
    Request: ofLevel('Request'),
    RequestResponse: ofLevel('RequestResponse'),
  }
  return { evaluated, recorded: events.in([]), rejected: rejected.in([]) }
}
