/** URLs as in Go's url.ParseRequestURI: absolute URLs and absolute paths. Fragments are not supported: `#` is an ordinary character. */
import { parseAddress } from '../../schema/formats/ip.ts'
import { drained, type MaybeSteps, Pace, type Parts, Steps, within } from '../steps.ts'
import { isPair } from '../values/maps.ts'
import { search, searchBackwards, searchPattern } from '../values/search.ts'
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
const badEscape = /%(?![0-9A-Fa-f]{2})/
/** In hosts only non-ASCII bytes may be percent-encoded, and the `%` before a zone. */
const badHostEscape = /%(?!25|[89A-Fa-f][0-9A-Fa-f])/
const badHostCharacter = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u
const notInUserInfo = /[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/
/** Characters allowed in a path as written, and characters that Go does not escape otherwise. */
const notInPlainPath = /[^A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/%]/
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
export const escapedPath = (path: string): MaybeSteps<string> => new Steps(escapedPathParts(path))

function* escapedPathParts(path: string): Parts<string> {
  return (yield* has(path, notInPlainPath)) ? yield* inParts(path, escapedPart) : path
}

/** Whether a text has such a character. */
export function* has(text: string, pattern: RegExp): Parts<boolean> {
  return (yield* within(searchPattern(text, pattern))) >= 0
}

/** Position of the first escape that is not one of these; -1: there is none. */
export const badEscapeAt = (text: string, pattern = badEscape): MaybeSteps<number> => searchPattern(text, pattern, 3)

function* escapeProblem(text: string, pattern: RegExp): Parts<string | undefined> {
  const at = yield* within(badEscapeAt(text, pattern))
  return at < 0 ? undefined : `invalid URL escape ${quoted(text.slice(at, at + 3))}`
}

function* portProblem(port: string): Parts<string | undefined> {
  const isPort = port === '' || (port.startsWith(':') && !(yield* has(port.slice(1), /\D/)))
  return isPort ? undefined : `invalid port ${quoted(port)} after host`
}

/** Error of `[::1]:80`, possibly with a zone. */
function* literalProblem(host: string): Parts<string | undefined> {
  const end = yield* within(searchBackwards(host, ']', host.length))
  if (end < 0) return "missing ']' in host"
  const problem = (yield* portProblem(host.slice(end + 1))) ?? (yield* escapeProblem(host, badHostEscape))
  if (problem !== undefined) return problem
  const literal = host.slice(1, end)
  const zone = yield* within(search(literal, '%25', 0))
  const name = zone < 0 ? literal : literal.slice(0, zone)
  const afterZone = literal.slice(zone + 3, zone + 6)
  const address = parseAddress(name)
  if (address && (zone < 0 || !['', '%25'].includes(afterZone))) return address.bytes.length === 4 ? 'invalid IP-literal' : undefined
  return `invalid host: ParseAddr(${quoted(name)}): unable to parse IP`
}

function* hostProblem(scheme: string, host: string): Parts<string | undefined> {
  const isLiteral = host.startsWith('[')
  if ((yield* within(search(host, '[', isLiteral ? 1 : 0))) >= 0) return 'invalid IP-literal'
  if (isLiteral) return yield* literalProblem(host)
  // Hosts of other schemes may be lists with a port each.
  const isSingle = scheme === 'http' || scheme === 'https'
  const at = yield* within(isSingle ? search(host, ':', 0) : searchBackwards(host, ':', host.length))
  const problem = (yield* portProblem(at < 0 ? '' : host.slice(at))) ?? (yield* escapeProblem(host, badHostEscape))
  if (problem !== undefined) return problem
  const bad = yield* within(searchPattern(host, badHostCharacter))
  return bad < 0 ? undefined : `invalid character ${quoted(host.charAt(bad))} in host name`
}

/** Minimum characters of a URL that is parsed in steps. */
const longUrl = 1_000
/** The parts of a URL, or the error. */
export const requestUrl = (text: string): MaybeSteps<UrlParts | string> => {
  const steps = new Steps(urlParts(text))
  return text.length < longUrl ? drained(steps) : steps
}

function* urlParts(text: string): Parts<UrlParts | string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  if (yield* has(text, /[\x00-\x1f\x7f]/)) return 'net/url: invalid control character in URL'
  if (text === '') return 'empty url'
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' }
  if (text.startsWith(':')) return 'missing protocol scheme'
  const colon = yield* within(searchPattern(text, notInScheme))
  const start = text[colon] === ':' && /^[A-Za-z]/.test(text) ? text.slice(0, colon + 1) : ''
  const scheme = start.slice(0, -1).toLowerCase()
  const mark = yield* within(search(text, '?', start.length))
  const rest = text.slice(start.length, mark < 0 ? undefined : mark)
  const query = mark < 0 ? '' : text.slice(mark + 1)
  if (!rest.startsWith('/')) return scheme === '' ? 'invalid URI for request' : { scheme, host: '', path: '', query }
  let path = rest
  let authority = ''
  if (scheme !== '' && rest.startsWith('//')) {
    const slash = yield* within(search(rest, '/', 2))
    const end = slash < 0 ? rest.length : slash
    authority = rest.slice(2, end)
    path = rest.slice(end)
  }
  const at = yield* within(searchBackwards(authority, '@', authority.length))
  const host = authority.slice(at + 1)
  const problem = yield* hostProblem(scheme, host)
  if (problem !== undefined) return problem
  const user = authority.slice(0, Math.max(at, 0))
  if (yield* has(user, notInUserInfo)) return 'net/url: invalid userinfo'
  return (yield* escapeProblem(user, badEscape)) ?? (yield* escapeProblem(path, badEscape)) ?? { scheme, host, path, query }
}
