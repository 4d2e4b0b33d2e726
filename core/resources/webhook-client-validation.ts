/** Validation of webhooks (admission and conversion): how they are called, a URL or a service, and in which versions. */
import type { FieldErrors } from '../schema/field-error.ts'
import type { FieldPath } from '../schema/field-path.ts'
import { formats, portNumber } from '../schema/formats/formats.ts'
import { quote } from '../schema/go/quote.ts'
import { repeats, validateFormat } from './validation.ts'

interface Service {
  readonly name: string
  readonly namespace: string
  readonly path?: string | undefined
  readonly port?: number | undefined
}

export interface ClientConfig {
  readonly url?: string | undefined
  readonly service?: Service | undefined
}

const form = '; desired format: https://host[/path]'

export function validateClientConfig({ url, service }: ClientConfig, path: FieldPath, errors: FieldErrors): void {
  if ((url === undefined) === (service === undefined)) errors.required(path, 'exactly one of url or service is required')
  else if (url !== undefined) validateURL(url, path.child('url'), errors)
  else if (service !== undefined) validateService(service, path.child('service'), errors)
}

/** What is before and after the first occurrence of a character; the second is empty without it. */
function cut(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** The parts of a URL as Go's net/url tells them apart; none of them is normalized. `user` is undefined without an `@`. */
function partsOf(text: string) {
  const [hierarchy, fragment] = cut(text, '#')
  const [address, query] = cut(hierarchy, '?')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]
  const rest = scheme === undefined ? address : address.slice(scheme.length + 1)
  const [authority] = rest.startsWith('//') ? cut(rest.slice(2), '/') : ['']
  const at = authority.lastIndexOf('@')
  return { scheme: scheme ?? '', user: at < 0 ? undefined : authority.slice(0, at), host: authority.slice(at + 1), query, fragment }
}

const isControl = (character: string) => character < ' ' || character === '\u007f'
const forbiddenInHost = /[^\u0080-\u{10ffff}\w\-.~$&+,:;=?@!'()*[\]<>"%]/u

/** Why a text is no URL, in Go's words. */
function urlProblem(text: string, host: string): string | undefined {
  if ([...text].some(isControl)) return 'net/url: invalid control character in URL'
  const wrong = forbiddenInHost.exec(host)
  return wrong ? `invalid character ${quote(wrong[0])} in host name` : undefined
}

function validateURL(text: string, path: FieldPath, errors: FieldErrors): void {
  const { scheme, user, host, query, fragment } = partsOf(text)
  const problem = urlProblem(text, host)
  if (problem !== undefined) {
    errors.required(path, `url must be a valid URL: parse ${quote(text)}: ${problem}${form}`)
    return
  }
  if (scheme.toLowerCase() !== 'https') errors.invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`)
  if (host === '') errors.invalid(path, host, `host must be specified${form}`)
  if (user !== undefined) errors.invalid(path, user, 'user information is not permitted in the URL')
  if (fragment !== '') errors.invalid(path, fragment, 'fragments are not permitted in the URL')
  if (query !== '') errors.invalid(path, query, 'query parameters are not permitted in the URL')
}

function validateService({ name, namespace, path: url, port = 443 }: Service, path: FieldPath, errors: FieldErrors): void {
  // Each error names the other field: the reference passes name and namespace in the wrong order.
  if (namespace === '') errors.required(path.child('name'))
  if (name === '') errors.required(path.child('namespace'))
  const problems = portNumber(port)
  if (problems.length > 0) errors.invalid(path.child('port'), port, `port is not valid: ${problems.join(', ')}`)
  if (url !== undefined && url !== '' && url !== '/') validatePath(url, path.child('path'), errors)
}

function validatePath(url: string, path: FieldPath, errors: FieldErrors): void {
  if (url === '//') {
    errors.invalid(path, url, 'segment[0] may not be empty')
    return
  }
  if (!url.startsWith('/')) errors.invalid(path, url, "must start with a '/'")
  const segments = url.slice(1).replace(/\/$/, '').split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '') errors.invalid(path, url, `segment[${index}] may not be empty`)
    else for (const problem of formats.dns1123Subdomain(segment)) errors.invalid(path, url, `segment[${index}]: ${problem}`)
  }
}

/** Versions of AdmissionReview and ConversionReview that this server sends, as the previous release does. */
export const reviewVersions = ['v1', 'v1beta1'] as const
export type ReviewVersion = (typeof reviewVersions)[number]
export const isReviewVersion = (version: string): version is ReviewVersion => (reviewVersions as readonly string[]).includes(version)

/** Validates the versions that a webhook understands. `missing`: detail of the error for an empty list. */
export function validateReviewVersions(versions: readonly string[], path: FieldPath, errors: FieldErrors, missing = ''): void {
  if (versions.length === 0) {
    errors.required(path, missing)
    return
  }
  const isRepeat = repeats()
  versions.forEach((version, index) => {
    if (isRepeat(version)) errors.invalid(path.index(index), version, 'duplicate version')
    else validateFormat(version, 'dns1035Label', path.index(index), errors)
  })
  if (versions.some(isReviewVersion)) return
  const detail = `must include at least one of ${reviewVersions.join(', ')}`
  errors.forgivable('versions of reviews', () => errors.invalid(path, [...versions], detail))
}
