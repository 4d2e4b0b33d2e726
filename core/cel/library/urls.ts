/** URLs as values (this API's library `url`). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { abstractType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { CelMap, CelOpaque } from '../values/values.ts'
import { traversesFirst } from './costs.ts'

export const urlType = abstractType('kubernetes.URL')

class CelUrl extends CelOpaque {
  readonly celType = urlType
  readonly scheme: string
  /** As it is written: without a port that goes without saying being lost. */
  readonly host: string
  readonly path: string
  readonly query: string
  readonly text: string
  constructor(text: string, [scheme, host, path, query]: readonly [string, string, string, string]) {
    super()
    this.text = text
    this.scheme = scheme
    this.host = host
    this.path = path
    this.query = query
  }
  override equals(other: unknown): boolean {
    return other instanceof CelUrl && other.text === this.text
  }
}

const form = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s
const badEscape = /%(?![0-9A-Fa-f]{2})/

/** What Go leaves as it is in a path; the rest is escaped. */
const escapedPath = (path: string) =>
  path.replace(/[^A-Za-z0-9\-_.~!$&'()*+,;=:@/%]/gu, (each) => (each === '[' || each === ']' ? each : encodeURIComponent(each)))

/** An absolute URL or an absolute path, or why it is none (Go's url.ParseRequestURI). */
function readUrl(text: string): CelUrl | string {
  const why = (problem: string) => `URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${problem}`
  if (text === '') return why('empty url')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  if (/[\x00-\x1f\x7f]/.test(text)) return why('net/url: invalid control character in URL')
  const [, scheme = '', authority, path = '', query = ''] = form.exec(text) ?? []
  if (scheme === '' && /^[^/?#]*:/.test(text))
    return why(text.startsWith(':') ? 'missing protocol scheme' : 'first path segment in URL cannot contain colon')
  if (scheme === '' && !text.startsWith('/')) return why('invalid URI for request')
  if (scheme !== '' && authority === undefined && !path.startsWith('/')) return new CelUrl(text, [scheme.toLowerCase(), '', '', query])
  const broken = badEscape.exec(path)
  if (broken) return why(`invalid URL escape ${JSON.stringify(path.slice(broken.index, broken.index + 3))}`)
  const host = authority?.slice(authority.lastIndexOf('@') + 1) ?? ''
  const problem = hostProblem(host)
  if (problem !== undefined) return why(problem)
  return new CelUrl(text, [scheme.toLowerCase(), host, escapedPath(path), query])
}

function hostProblem(host: string): string | undefined {
  const port = host.startsWith('[') ? host.slice(host.lastIndexOf(']') + 1) : (/:.*$/s.exec(host)?.[0] ?? '')
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host"
  if (port !== '' && !/^:\d*$/.test(port)) return `invalid port ${JSON.stringify(`:${port.slice(port.lastIndexOf(':') + 1)}`)} after host`
  const bad = /[ "<>\\^`{|}]/.exec(host)?.[0]
  return bad === undefined ? undefined : `invalid character ${JSON.stringify(bad)} in host name`
}

/** Why a text is no URL; undefined: it is one. */
export function urlProblem(text: string): string | undefined {
  const found = readUrl(text)
  return typeof found === 'string' ? found.replace('URL parse error during conversion from string: ', '') : undefined
}

function url(text: string): CelUrl {
  const found = readUrl(text)
  return typeof found === 'string' ? fail(found) : found
}

const hostname = (host: string) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
const port = (host: string) => /:(\d*)$/.exec(host.slice(host.lastIndexOf(']') + 1))?.[1] ?? ''

function decoded(text: string): string | undefined {
  try {
    return badEscape.test(text) ? undefined : decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text.replaceAll('+', ' ')
  }
}

/** Values by key, in the order of the query; pairs that can't be unescaped are left out. */
function queryOf({ query }: CelUrl): CelMap {
  const map = new CelMap()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const at = pair.indexOf('=')
    const key = decoded(at < 0 ? pair : pair.slice(0, at))
    const value = decoded(at < 0 ? '' : pair.slice(at + 1))
    if (key === undefined || value === undefined) continue
    const before = (map.get(key) ?? []) as readonly unknown[]
    map.entries.set(key, [key, [...before, value]])
  }
  return map
}

const rows: readonly Row[] = [
  ['string_to_url', 'url(string): URL', url, traversesFirst],
  ['is_url_string', 'isURL(string): bool', (text: string) => typeof readUrl(text) !== 'string'],
  ['url_get_scheme', 'URL.getScheme(): string', ({ scheme }: CelUrl) => scheme],
  ['url_get_host', 'URL.getHost(): string', ({ host }: CelUrl) => host],
  ['url_get_hostname', 'URL.getHostname(): string', ({ host }: CelUrl) => hostname(host)],
  ['url_get_port', 'URL.getPort(): string', ({ host }: CelUrl) => port(host)],
  ['url_get_escaped_path', 'URL.getEscapedPath(): string', ({ path }: CelUrl) => path],
  ['url_get_query', 'URL.getQuery(): map<string, list<string>>', queryOf],
]

export const urlLibrary = (): readonly FunctionDeclaration[] => declare(rows, { URL: urlType })
