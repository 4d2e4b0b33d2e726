/** URLs as values (library `url` of the API server). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { costly, Pace, type Parts, Steps } from '../steps.ts'
import { abstractType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { CelMap, CelOpaque } from '../values/values.ts'
import { traversesFirst } from './costs.ts'
import { badEscape, requestUrl, type UrlParts } from './request-url.ts'

export const urlType = abstractType('kubernetes.URL')

class CelUrl extends CelOpaque {
  readonly celType = urlType
  readonly parts: UrlParts
  readonly text: string
  constructor(text: string, parts: UrlParts) {
    super()
    this.text = text
    this.parts = parts
  }
  override equals(other: unknown): boolean {
    return other instanceof CelUrl && other.text === this.text
  }
}

/** Parses an absolute URL or absolute path, or returns the error. */
function readUrl(text: string): CelUrl | string {
  const found = requestUrl(text)
  if (typeof found === 'string') return `URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${found}`
  return new CelUrl(text, found)
}

/** Error of a URL; undefined: valid. */
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

/** Time to decode a pair, and one of its characters. */
const nanosecondsPerPair = 1_000
const nanosecondsPerCharacter = 20

/** Values by key, in the order of the query; malformed pairs are dropped. */
function* queryOf({ parts: { query } }: CelUrl): Parts<CelMap> {
  const pace = new Pace()
  const values = new Map<string, string[]>()
  for (let from = 0, end: number; from <= query.length; from = end + 1) {
    const next = query.indexOf('&', from)
    end = next < 0 ? query.length : next
    if (pace.due(nanosecondsPerPair + (end - from) * nanosecondsPerCharacter)) yield pace.units
    const pair = query.slice(from, end)
    if (pair === '' || pair.includes(';')) continue
    const at = pair.indexOf('=')
    const key = decoded(at < 0 ? pair : pair.slice(0, at))
    const value = decoded(at < 0 ? '' : pair.slice(at + 1))
    if (key === undefined || value === undefined) continue
    const known = values.get(key)
    if (known) known.push(value)
    else values.set(key, [value])
  }
  const map = new CelMap()
  for (const [key, list] of values) map.entries.set(key, [key, list])
  return map
}

const rows: readonly Row[] = [
  ['string_to_url', 'url(string): URL', url, traversesFirst],
  [
    'is_url_string',
    'isURL(string): bool',
    (text: string) => costly(text.length * nanosecondsPerCharacter, () => typeof readUrl(text) !== 'string'),
  ],
  ['url_get_scheme', 'URL.getScheme(): string', ({ parts: { scheme } }: CelUrl) => scheme],
  ['url_get_host', 'URL.getHost(): string', ({ parts: { host } }: CelUrl) => host],
  ['url_get_hostname', 'URL.getHostname(): string', ({ parts: { host } }: CelUrl) => hostname(host)],
  ['url_get_port', 'URL.getPort(): string', ({ parts: { host } }: CelUrl) => port(host)],
  ['url_get_escaped_path', 'URL.getEscapedPath(): string', ({ parts: { path } }: CelUrl) => path],
  ['url_get_query', 'URL.getQuery(): map<string, list<string>>', (each: CelUrl) => new Steps(queryOf(each))],
]

export const urlLibrary = (): readonly FunctionDeclaration[] => declare(rows, { URL: urlType })
