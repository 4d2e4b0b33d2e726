/** Whether a text is an absolute URI or path as Go's url.ParseRequestURI takes it. core/cel has the same rules in steps, with parts and errors. */
import { parseAddress } from './ip.ts'

const controls = /[^ -~\u0080-\u{10ffff}]/u
const schemeOf = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/
const badEscape = /%(?![0-9A-Fa-f]{2})/
/** In hosts only bytes beyond ASCII may be escaped, and the `%` before a zone. */
const badHostEscape = /%(?!25|[89A-Fa-f][0-9A-Fa-f])/
const badHostCharacter = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u
const notInUserInfo = /[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/
const port = /^(?::[0-9]*)?$/

const isHostText = (text: string) => !badHostEscape.test(text) && !badHostCharacter.test(text)

/** `[::1]`, possibly with a zone, and its port. */
function isLiteral(host: string): boolean {
  const end = host.lastIndexOf(']')
  if (end < 0 || !port.test(host.slice(end + 1))) return false
  const literal = host.slice(1, end)
  const zone = literal.indexOf('%25')
  const name = zone < 0 ? literal : literal.slice(0, zone)
  if (zone >= 0 && (literal.length === zone + 3 || badEscape.test(literal.slice(zone)) || badHostCharacter.test(literal))) return false
  const address = parseAddress(name)
  return address !== undefined && !address.leadingZeros && address.bytes.length === 16
}

function isHost(host: string, scheme: string): boolean {
  if (host.lastIndexOf('[') > 0) return false
  if (host.startsWith('[')) return isLiteral(host)
  // Hosts of other schemes may be lists with a port each.
  const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':')
  return port.test(colon < 0 ? '' : host.slice(colon)) && isHostText(host)
}

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf('@')
  const user = authority.slice(0, Math.max(at, 0))
  return isHost(authority.slice(at + 1), scheme) && !notInUserInfo.test(user) && !badEscape.test(user)
}

export function isRequestURI(text: string): boolean {
  if (text === '' || controls.test(text) || text.startsWith(':')) return false
  if (text === '*') return true
  const scheme = schemeOf.exec(text)?.[0]
  const rest = (scheme === undefined ? text : text.slice(scheme.length + 1)).split('?', 1)[0] as string
  if (!rest.startsWith('/')) return scheme !== undefined
  if (scheme === undefined || !rest.startsWith('//')) return !badEscape.test(rest)
  const slash = rest.indexOf('/', 2)
  const end = slash < 0 ? rest.length : slash
  return isAuthority(rest.slice(2, end), scheme.toLowerCase()) && !badEscape.test(rest.slice(end))
}
