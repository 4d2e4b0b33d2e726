const plainTarget = /^\/[!$-;=@-Z_a-z~]*(?:\?[!$-&(-;=?-Z_a-z~[\]]*)?$/
const dotSegment = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i
const plainHost = /^[a-z0-9.-]+(?::[1-9]\d{0,4})?$/

/**
 * The URL of a request as the URL standard writes it, or undefined when there is none. `target` is in origin form or absolute form
 * (RFC 9112 3.2). Nearly all targets are already normal, and need no parser.
 */
export function requestUrl(host: string, target: string): string | undefined {
  if (plainHost.test(host) && !host.endsWith(':443') && plainTarget.test(target) && !dotSegment.test(target))
    return `https://${host}${target}`
  const text = target.startsWith('/') ? `https://${host}${target}` : target
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  url.hash = ''
  return url.href
}
