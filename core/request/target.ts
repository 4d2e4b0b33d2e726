import { LightRequest } from './light-request.ts'

const noQuery = new URLSearchParams()
const decoder = new TextDecoder()

/** Path and query of a request, byte for byte: of a received request as on its request line, of any other as in its URL. */
export function targetOf(request: Request): string {
  const received = LightRequest.target(request)
  if (received !== undefined) return received
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  // A client does not send the fragment.
  const fragment = url.indexOf('#', start)
  return url.slice(start, fragment === -1 ? undefined : fragment)
}

/** Maximum queries that are kept, and characters of each. */
const [maxKept, longestKept] = [64, 128]

/** Queries by their text: the requests of a client have few of them. They are shared, and never changed. */
export class Queries {
  readonly #known = new Map<string, URLSearchParams>()

  of(text: string): URLSearchParams {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const query = readQuery(text)
    if (text.length > longestKept) return query
    if (this.#known.size === maxKept) this.#known.clear()
    this.#known.set(text, query)
    return query
  }
}

/** Target up to its first question mark, and what follows that. A '#' has no meaning in a target (RFC 9112 3.2). */
export function splitTarget(target: string, queries?: Queries): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?')
  if (mark === -1) return { path: decodePath(target), query: noQuery }
  const text = target.slice(mark + 1)
  return { path: decodePath(target.slice(0, mark)), query: queries?.of(text) ?? readQuery(text) }
}

const encodedOrRaw = /[%\x80-\xff]/
const raw = /[\x80-\xff]/g
const escaped = (byte: string) => `%${byte.charCodeAt(0).toString(16)}`

/**
 * Decodes the whole path, so that an encoded slash is a slash: authorization and routing see the same path. Bytes that are not UTF-8 become
 * U+FFFD, which no name contains; a '%' without two digits stays.
 */
function decodePath(path: string): string {
  if (!encodedOrRaw.test(path)) return path
  try {
    return decodeURIComponent(path.replace(raw, escaped))
  } catch {
    return decoder.decode(bytesOf(path))
  }
}

function bytesOf(path: string): Uint8Array {
  const found = path.replace(raw, escaped).matchAll(/%([0-9A-Fa-f]{2})|[\s\S]/g)
  return Uint8Array.from([...found].map(([character, digits]) => (digits ? Number.parseInt(digits, 16) : character.charCodeAt(0))))
}

const unusual = /;|%(?![0-9A-Fa-f]{2})|[\x80-\xff]/

/** Parameters with a semicolon or a malformed escape are ignored, as by Go's net/url. */
function readQuery(text: string): URLSearchParams {
  // URLSearchParams ignores a question mark at the start.
  if (!unusual.test(text)) return new URLSearchParams(`?${text}`)
  const pairs = text.replace(raw, escaped).split('&')
  return new URLSearchParams(`?${pairs.filter((pair) => !unusual.test(pair)).join('&')}`)
}
