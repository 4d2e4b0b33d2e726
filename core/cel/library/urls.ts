/** URLs as values (library `url` of the API server). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { after, type MaybeSteps, Pace, type Parts, Steps, within } from '../steps.ts'
import { abstractType } from '../types.ts'
import { fail } from '../values/errors.ts'
import { search, searchBackwards } from '../values/search.ts'
import { CelMap, CelOpaque } from '../values/values.ts'
import { traversesFirst } from './costs.ts'
import { quoted } from './quoted.ts'
import { badEscapeAt, escapedPath, has, inParts, requestUrl, type UrlParts } from './request-url.ts'

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

const faultOf = (text: string, why: string) => `parse ${quoted(text)}: ${why}`

/** Error of a URL; undefined: valid. */
export const urlProblem = (text: string): MaybeSteps<string | undefined> =>
  after(requestUrl(text), (found) => (typeof found === 'string' ? faultOf(text, found) : undefined))

const url = (text: string): MaybeSteps<CelUrl> =>
  after(requestUrl(text), (found) =>
    typeof found === 'string' ? fail(`URL parse error during conversion from string: ${faultOf(text, found)}`) : new CelUrl(text, found),
  )

/** Hostname without brackets, and port. */
function* splitHost(host: string): Parts<{ readonly name: string; readonly port: string }> {
  const colon = yield* within(searchBackwards(host, ':', host.length))
  const hasPort = colon >= 0 && !(yield* has(host.slice(colon + 1), /\D/))
  const name = hasPort ? host.slice(0, colon) : host
  const isLiteral = name.startsWith('[') && name.endsWith(']')
  return { name: isLiteral ? name.slice(1, -1) : name, port: hasPort ? host.slice(colon + 1) : '' }
}

/** Length up to which a text is looked at at once. */
const maxAtOnce = 512
const decodable = /[%+]/

/** Undefined: a bad escape. */
const decoded = (text: string, pace: Pace): MaybeSteps<string | undefined> =>
  text.length <= maxAtOnce && !decodable.test(text) ? text : new Steps(decodedParts(text, pace))

const withSpaces = (part: string) => part.replaceAll('+', ' ')

/** Escapes that are not UTF-8 stay as they are. */
function* decodedParts(text: string, pace: Pace): Parts<string | undefined> {
  if (!(yield* has(text, decodable))) return text
  if ((yield* within(badEscapeAt(text))) >= 0) return undefined
  try {
    return yield* inParts(text, (part) => decodeURIComponent(withSpaces(part)), pace)
  } catch {
    return yield* inParts(text, withSpaces, pace)
  }
}

/** Time to decode a pair, and to look at one of its characters. */
const nanosecondsPerPair = 3_000
const nanosecondsPerCharacter = 20

/** Values by key, in the order of the query; malformed pairs are dropped. */
function* queryOf({ parts: { query } }: CelUrl): Parts<CelMap> {
  const pace = new Pace()
  const map = new CelMap()
  for (let from = 0, end: number; from <= query.length; from = end + 1) {
    const next = yield* within(search(query, '&', from))
    end = next < 0 ? query.length : next
    if (pace.due(nanosecondsPerPair + (end - from) * nanosecondsPerCharacter)) yield pace.units
    const pair = query.slice(from, end)
    if (pair === '' || (yield* within(search(pair, ';', 0))) >= 0) continue
    const at = yield* within(search(pair, '=', 0))
    const name = decoded(at < 0 ? pair : pair.slice(0, at), pace)
    const key = name instanceof Steps ? yield* name.parts : name
    const given = decoded(at < 0 ? '' : pair.slice(at + 1), pace)
    const value = given instanceof Steps ? yield* given.parts : given
    if (key === undefined || value === undefined) continue
    const known = map.entries.get(key)?.[1]
    if (Array.isArray(known)) known.push(value)
    else map.entries.set(key, [key, [value]])
  }
  return map
}

const rows: readonly Row[] = [
  ['string_to_url', 'url(string): URL', url, traversesFirst],
  ['is_url_string', 'isURL(string): bool', (text: string) => after(requestUrl(text), (found) => typeof found !== 'string')],
  ['url_get_scheme', 'URL.getScheme(): string', ({ parts: { scheme } }: CelUrl) => scheme],
  ['url_get_host', 'URL.getHost(): string', ({ parts: { host } }: CelUrl) => host],
  ['url_get_hostname', 'URL.getHostname(): string', ({ parts: { host } }: CelUrl) => after(new Steps(splitHost(host)), ({ name }) => name)],
  ['url_get_port', 'URL.getPort(): string', ({ parts: { host } }: CelUrl) => after(new Steps(splitHost(host)), ({ port }) => port)],
  ['url_get_escaped_path', 'URL.getEscapedPath(): string', ({ parts: { path } }: CelUrl) => escapedPath(path)],
  ['url_get_query', 'URL.getQuery(): map<string, list<string>>', (each: CelUrl) => new Steps(queryOf(each))],
]

export const urlLibrary = (): readonly FunctionDeclaration[] => declare(rows, { URL: urlType })
