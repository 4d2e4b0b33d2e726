/** The target of a request (RFC 9112 3.2) and its host, judged as Go's net/http judges them. Nothing is resolved, decoded or escaped. */
import type { LightHeaders } from '../../../core/answers/light-headers.ts'
import { Reply } from '../../../core/answers/reply.ts'
import { badRequest } from './service.ts'

/** Visible bytes, each a character of Latin-1. */
const visible = /^[!-~\x80-\xff]*$/
const malformedEscape = /%(?![0-9A-Fa-f]{2})/
const schemePart = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const validHost = /^[0-9A-Za-z!$%&()*+,\-.:;=[\]'_~]*$/

/**
 * Path and query of a request, byte for byte as `sent`, or the response that its target or host gets here. The host of a target in absolute
 * form replaces the header (RFC 9112 3.2.2). The target is empty for an absolute form without a path.
 */
export function readTarget(method: string, sent: string, headers: LightHeaders, requiresHost: boolean): string | Response {
  const host = headers.get('host')
  if (host === null && requiresHost) return badRequest('missing required Host header')
  if (host !== null && !validHost.test(host)) return badRequest('malformed Host header')
  if (!visible.test(sent)) return badRequest()
  if (sent === '*') return method === 'OPTIONS' ? new Reply(null) : sent
  let target = sent
  if (!sent.startsWith('/')) {
    const [scheme] = schemePart.exec(sent) ?? []
    if (scheme === undefined) return badRequest()
    const rest = sent.slice(scheme.length)
    const end = rest.search(/[/?]/)
    const authority = end < 0 ? rest : rest.slice(0, end)
    const named = authority.slice(authority.lastIndexOf('@') + 1)
    if (!validHost.test(named)) return badRequest()
    headers.set('host', named)
    target = end < 0 ? '' : rest.slice(end)
  }
  return target.includes('%') && malformedEscape.test(target.split('?', 1)[0] as string) ? badRequest() : target
}
