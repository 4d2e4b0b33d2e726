import type { AuditEvent } from '../../../core/audit/event.ts'

/** An event without anything optional. */
export const leastEvent: AuditEvent = {
  level: 'Metadata',
  auditId: 'id',
  stage: 'RequestReceived',
  requestUri: '/healthz',
  verb: 'get',
  user: undefined,
  impersonated: undefined,
  constraint: '',
  sourceIps: [],
  userAgent: '',
  object: undefined,
  status: undefined,
  requestObject: undefined,
  responseObject: undefined,
  received: 0,
  reached: 0,
  annotations: [],
}
