/** URLs as in Go's url.ParseRequestURI: absolute URLs and absolute paths. Fragments are not supported: `#` is an ordinary character. */
import { parseAddress } from '../../schema/ip.ts'
import { drained, type MaybeSteps, Pace, type Parts, Steps, unitsOf } from '../steps.ts'
import { isPair } from '../values/maps.ts'
import { quoted } from './quoted.ts'

export interface UrlParts {
  readonly scheme: string
  /** As written, including a default port. */
  readonly host: string
  /** As written; `escapedPath` is what Go shows. */
  readonly path: string
  readonly query: string
}

const notInScheme = /[^A-Za-z0-9+.-]/
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

/** Code units that are converted at once. */
const sizeOfPart = 4096
const nanosecondsPerCharacter = 60

/** The end of the part that starts at a position: neither within a code point, nor within the escapes of one. */
function endOfPart(text: string, from: number): number {
  let end = from + sizeOfPart
  if (end >= text.length) return text.length
  if (isPair(text, end - 1)) end++
  else if (text[end - 1] === '%') end += 2
  else if (text[end - 2] === '%') end++
  // At most three continuation bytes follow a first byte.
  for (let more = 3; more > 0 && /^%[89ABab]/.test(text.slice(end, end + 2)); more--) end += 3
  return end
}

/** Converts a text without bad escapes in parts. */
export function* inParts(text: string, convert: (part: string) => string, pace = new Pace()): Parts<string> {
  let converted = ''
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = endOfPart(text, from)
    if (pace.due((end - from) * nanosecondsPerCharacter)) yield pace.units
    converted += convert(text.slice(from, end))
  }
  return converted
}

function escapedPart(part: string): string {
  return part.replace(toEscape, (each, digits?: string) => {
    // Half of a surrogate pair is no character.
    if (digits === undefined && each > '\u007f') return encodeURIComponent(/^[\ud800-\udfff]$/.test(each) ? '\ufffd' : each)
    const code = digits === undefined ? each.charCodeAt(0) : Number.parseInt(digits, 16)
    const character = String.fromCharCode(code)
    return unescaped.test(character) ? character : hex(code)
  })
}

/** The path with all characters escaped that Go escapes. */
export const escapedPath = (path: string): MaybeSteps<string> => (plainPath.test(path) ? path : new Steps(inParts(path, escapedPart)))

function escapeProblem(text: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(text)
  return found ? `invalid URL escape ${quoted(text.slice(found.index, found.index + 3))}` : undefined
}

function portProblem(port: string): string | undefined {
  return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${quoted(port)} after host`
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
  return `invalid host: ParseAddr(${quoted(name)}): unable to parse IP`
}

function hostProblem(scheme: string, host: string): string | undefined {
  if (host.startsWith('[') && host.lastIndexOf('[') === 0) return literalProblem(host)
  if (host.includes('[')) return 'invalid IP-literal'
  // Hosts of other schemes may be lists with a port each.
  const at = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':')
  const problem = portProblem(at < 0 ? '' : host.slice(at)) ?? escapeProblem(host, badHostEscape)
  const bad = badHostCharacter.exec(host)?.[0]
  return problem ?? (bad === undefined ? undefined : `invalid character ${quoted(bad)} in host name`)
}

/** Characters from which on a URL is parsed in steps. */
const longUrl = 1_000
/** Nanoseconds to look at a character once. */
const nanosecondsPerLook = 3

/** The parts of a URL, or the error. */
export const requestUrl = (text: string): MaybeSteps<UrlParts | string> => {
  const steps = new Steps(urlParts(text))
  return text.length < longUrl ? drained(steps) : steps
}

function* urlParts(text: string): Parts<UrlParts | string> {
  const look = unitsOf(text.length * nanosecondsPerLook)
  yield look
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  if (/[\x00-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL'
  if (text === '') return 'empty url'
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' }
  if (text.startsWith(':')) return 'missing protocol scheme'
  yield look
  const colon = text.search(notInScheme)
  const start = text[colon] === ':' && /^[A-Za-z]/.test(text) ? text.slice(0, colon + 1) : ''
  const scheme = start.slice(0, -1).toLowerCase()
  const mark = text.indexOf('?', start.length)
  const rest = text.slice(start.length, mark < 0 ? undefined : mark)
  const query = mark < 0 ? '' : text.slice(mark + 1)
  if (!rest.startsWith('/')) return scheme === '' ? 'invalid URI for request' : { scheme, host: '', path: '', query }
  const [whole = '', authority = ''] = (scheme === '' ? undefined : /^\/\/([^/]*)/.exec(rest)) ?? []
  yield look
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const problem = hostProblem(scheme, host)
  if (problem !== undefined) return problem
  const user = authority.slice(0, Math.max(at, 0))
  if (!userInfo.test(user)) return 'net/url: invalid userinfo'
  const path = rest.slice(whole.length)
  yield look
  return escapeProblem(user, badEscape) ?? escapeProblem(path, badEscape) ?? { scheme, host, path, query }
}
