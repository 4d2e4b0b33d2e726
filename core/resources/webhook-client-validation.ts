/** Validation of webhooks (admission and conversion): how they are called, a URL or a service, and in which versions. */
import type { FieldErrors } from '../schema/field-error.ts'
import type { FieldPath } from '../schema/field-path.ts'
import { formats, portNumber } from '../schema/formats.ts'
import { quote } from '../schema/go-quote.ts'
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

function validateURL(text: string, path: FieldPath, errors: FieldErrors): void {
  if (text === '') {
    errors.invalid(path, text, `'https' is the only allowed URL scheme${form}`)
    errors.invalid(path, text, `host must be specified${form}`)
    return
  }
  if (hasControl(text)) {
    errors.required(path, `url must be a valid URL: parse ${quote(text)}: net/url: invalid control character in URL${form}`)
    return
  }
  const { protocol, host, username, password, hash, search } = URL.canParse(text) ? new URL(text) : relative(text)
  if (protocol !== 'https:') errors.invalid(path, protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`)
  if (host === '') errors.invalid(path, host, `host must be specified${form}`)
  if (username !== '') {
    errors.invalid(path, password === '' ? username : `${username}:${password}`, 'user information is not permitted in the URL')
  }
  if (hash !== '') errors.invalid(path, hash.slice(1), 'fragments are not permitted in the URL')
  if (search !== '') errors.invalid(path, search.slice(1), 'query parameters are not permitted in the URL')
}

const hasControl = (text: string) => [...text].some((character) => character < ' ' || character === '\u007f')

/** A reference without scheme, as Go parses it: with neither host nor user. */
function relative(text: string): Pick<URL, 'protocol' | 'host' | 'username' | 'password' | 'hash' | 'search'> {
  const [, search = '', hash = ''] = /^[^?#]*(\?[^#]*)?(#.*)?$/s.exec(text) ?? []
  return { protocol: '', host: '', username: '', password: '', hash, search }
}

function validateService({ name, namespace, path: url, port = 443 }: Service, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path.child('name'), 'service name is required')
  if (namespace === '') errors.required(path.child('namespace'), 'service namespace is required')
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
