import { formatTime } from '../schema/formats/time.ts'
import { quote } from '../schema/go/quote.ts'
import type { AuditEvent } from './event.ts'

const list = (texts: readonly string[]) => texts.map(quote).join(',')

/** RFC 3339 with as many digits of the second as it needs. */
function time(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  const text = formatTime({ seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000 }, 'microTime') ?? ''
  return `${text.slice(0, -1).replace(/\.?0{1,6}$/, '')}Z`
}

/** An event as one line of text, without line feed: `--audit-log-format=legacy`, and what the log says about lost events. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonated, sourceIps, object, status } = event
  const members: readonly (readonly [name: string, value: string])[] = [
    ['id', event.auditId],
    ['stage', event.stage],
    ['ip', sourceIps[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user?.name || '<none>'],
    ['groups', user?.name && user.groups.length > 0 ? list(user.groups) : '<none>'],
    ['as', impersonated?.name ?? '<self>'],
    ['asgroups', impersonated === undefined || impersonated.groups.length === 0 ? '<lookup>' : list(impersonated.groups)],
    ['user-agent', event.userAgent],
    ['namespace', object?.namespace || '<none>'],
    ['uri', event.requestUri],
    ['response', status === undefined ? '<deferred>' : String(status.code ?? 0)],
  ]
  return `${time(event.received)} AUDIT: ${members.map(([name, value]) => `${name}=${quote(value)}`).join(' ')}`
}
