import type { Environment } from 'cel-js'

class CelUrl {
  readonly url: URL
  /** As it is written: without a port that goes without saying being lost. */
  readonly host: string
  constructor(url: URL, host: string) {
    this.url = url
    this.host = host
  }
}

/** An absolute URL, or a path that is one without a scheme. */
function parse(text: string): CelUrl | undefined {
  const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text)
  if (absolute === null && !text.startsWith('/')) return undefined
  try {
    return new CelUrl(new URL(absolute === null ? `none://none${text}` : text), absolute?.[1] ?? '')
  } catch {
    return undefined
  }
}

function mustParse(text: string): CelUrl {
  const found = parse(text)
  if (found === undefined) throw new Error(`URL parse error during conversion from string: ${JSON.stringify(text)}`)
  return found
}

const hostname = (host: string) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')

function queryOf({ url }: CelUrl): Map<string, string[]> {
  const query = new Map<string, string[]>()
  for (const [name, value] of url.searchParams) query.set(name, [...(query.get(name) ?? []), value])
  return query
}

/** URLs as values (this API's library). */
export function registerUrls(environment: Environment): void {
  environment
    .registerType('URL', CelUrl)
    .registerFunction('url(string): URL', mustParse)
    .registerFunction('isURL(string): bool', (text: string) => parse(text) !== undefined)
    .registerFunction('URL.getScheme(): string', ({ url }: CelUrl) => (url.protocol === 'none:' ? '' : url.protocol.slice(0, -1)))
    .registerFunction('URL.getHost(): string', ({ host }: CelUrl) => host)
    .registerFunction('URL.getHostname(): string', ({ host }: CelUrl) => hostname(host))
    .registerFunction('URL.getPort(): string', ({ host }: CelUrl) => /:(\d*)$/.exec(host)?.[1] ?? '')
    .registerFunction('URL.getEscapedPath(): string', ({ url }: CelUrl) => url.pathname)
    .registerFunction('URL.getQuery(): map<string, list<string>>', queryOf)
}
