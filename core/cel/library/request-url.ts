/** URLs as in Go's url.ParseRequestURI: absolute URLs and absolute paths. Fragments are not supported: `#` is an ordinary character. */
import { parseAddress } from '../../schema/ip.ts'

export interface UrlParts {
  readonly scheme: string
  /** As written, including a default port. */
  readonly host: string
  /** Escaped. */
  readonly path: string
  readonly query: string
}

export const badEscape = /%(?![0-9A-Fa-f]{2})/
/** In hosts only non-ASCII bytes may be percent-encoded, and the `%` before a zone. */
const badHostEscape = /%(?!25|[89A-Fa-f][0-9A-Fa-f])/
const badHostCharacter = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u
const userInfo = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/
/** Characters allowed in a path as written, and characters that Go does not escape otherwise. */
const plainPath = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/%]*$/
const unescaped = /[A-Za-z0-9\-_.~$&+,/:;=@]/
const toEscape = /%([0-9A-Fa-f]{2})|[^A-Za-z0-9\-_.~$&+,/:;=@]/gu

const hex = (code: number) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`

function escapedPath(path: string): string {
  if (plainPath.test(path)) return path
  return path.replace(toEscape, (each, digits?: string) => {
    if (digits === undefined && each > '\u007f') return encodeURIComponent(each)
    const code = digits === undefined ? each.charCodeAt(0) : Number.parseInt(digits, 16)
    const character = String.fromCharCode(code)
    return unescaped.test(character) ? character : hex(code)
  })
}

function escapeProblem(text: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(text)
  return found ? `invalid URL escape ${JSON.stringify(text.slice(found.index, found.index + 3))}` : undefined
}

function portProblem(port: string): string | undefined {
  return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`
}

/** Error of `[::1]:80`, possibly with a zone. */
function literalProblem(host: string): string | undefined {
  const end = host.lastIndexOf(']')
  if (end < 0) return "missing ']' in host"
  const problem = portProblem(host.slice(end + 1)) ?? escapeProblem(host, badHostEscape)
  if (problem !== undefined) return problem
  const [name = '', zone] = host.slice(1, end).split('%25')
  const address = parseAddress(name)
  if (address && zone !== '') return address.bytes.length === 4 ? 'invalid IP-literal' : undefined
  return `invalid host: ParseAddr(${JSON.stringify(name)}): unable to parse IP`
}

function hostProblem(scheme: string, host: string): string | undefined {
  if (host.startsWith('[') && host.lastIndexOf('[') === 0) return literalProblem(host)
  if (host.includes('[')) return 'invalid IP-literal'
  // Hosts of other schemes may be lists with a port each.
  const at = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':')
  const problem = portProblem(at < 0 ? '' : host.slice(at)) ?? escapeProblem(host, badHostEscape)
  const bad = badHostCharacter.exec(host)?.[0]
  return problem ?? (bad === undefined ? undefined : `invalid character ${JSON.stringify(bad)} in host name`)
}

/** The parts of a URL, or the error. */
export function requestUrl(text: string): UrlParts | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  if (/[\x00-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL'
  if (text === '') return 'empty url'
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' }
  if (text.startsWith(':')) return 'missing protocol scheme'
  const [start = '', given] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? []
  const scheme = given?.toLowerCase() ?? ''
  const [, rest = '', query = ''] = /^([^?]*)(?:\?(.*))?$/s.exec(text.slice(start.length)) ?? []
  if (!rest.startsWith('/')) return scheme === '' ? 'invalid URI for request' : { scheme, host: '', path: '', query }
  const [whole = '', authority = ''] = (scheme === '' ? undefined : /^\/\/([^/]*)/.exec(rest)) ?? []
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const problem = hostProblem(scheme, host)
  if (problem !== undefined) return problem
  const user = authority.slice(0, Math.max(at, 0))
  if (!userInfo.test(user)) return 'net/url: invalid userinfo'
  const path = rest.slice(whole.length)
  return escapeProblem(user, badEscape) ?? escapeProblem(path, badEscape) ?? { scheme, host, path: escapedPath(path), query }
}
