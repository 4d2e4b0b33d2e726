/**
 * Named string formats for facets. Each returns error messages, or an empty list
 * (apimachinery util/validation and api/validate/content). All run in linear time.
 */
import { cronSchedule } from './cron.ts'
import { cidr, interfaceAddress, ip, strictCIDR, strictIP } from './ip-formats.ts'
import {
  bounded,
  bytes,
  dns1123Label,
  dns1123Subdomain,
  type Format,
  isLabel,
  isLower,
  isSubdomain,
  label1035Message,
  labelValue,
  longName,
  longNameCaseless,
  nameLimit,
  nonEmpty,
  pattern,
  qualifiedName,
  regexMessage,
  shortName,
  subdomainLimit,
  tooLong,
  wildcardMessage,
} from './name-formats.ts'

export type { Format } from './name-formats.ts'

import { isTimeZone } from './time-zones.ts'

/** IANA_SVC_NAME (RFC 6335), lower case only. */
function portName(value: string): string[] {
  const problems: string[] = []
  if (bytes(value) > 15) problems.push(tooLong(15))
  if (!/^[-a-z0-9]+$/.test(value)) problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)')
  if (value.includes('--')) problems.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) problems.push('must not begin or end with a hyphen')
  return problems
}

function notParentFolder(value: string): string[] {
  if (value === '.') return ["must not be '.'"]
  if (value === '..') return ["must not be '..'"]
  return value.startsWith('..') ? ["must not start with '..'"] : []
}

const configMapKeyRule = bounded(
  subdomainLimit,
  (value) => /^[-._a-zA-Z0-9]+$/.test(value),
  regexMessage(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    '[-._a-zA-Z0-9]+',
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
)

function envVarName(value: string): string[] {
  const problems = value === '' ? [`environment variable name ${nonEmpty}`] : []
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) {
    problems.push("a valid environment variable name must consist only of printable ASCII characters other than '='")
  }
  return problems
}

function pathSegmentPrefix(value: string): string[] {
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`)
}

const pathSegment: Format = (value) => (value === '.' || value === '..' ? [`may not be '${value}'`] : pathSegmentPrefix(value))

const httpPathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const isHTTPPath = (value: string) => /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(value)
const httpPathMessage = regexMessage('Invalid path', httpPathPattern)

/** Problems of a domain-prefixed path, such as `acme.io/foo`, each with the part that it is about. */
export function domainPrefixedPathProblems(value: string): { readonly part: string; readonly problem: string }[] {
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1) return [{ part: value, problem: 'must be a domain-prefixed path (such as "acme.io/foo")' }]
  const [host, path] = [value.slice(0, slash), value.slice(slash + 1)]
  return [
    ...dns1123Subdomain(host).map((problem) => ({ part: host, problem })),
    ...(isHTTPPath(path) ? [] : [{ part: path, problem: httpPathMessage }]),
  ]
}

const domainPrefixedPath: Format = (value) => domainPrefixedPathProblems(value).map(({ problem }) => problem)

function domainPrefixedKey(value: string): string[] {
  const problems = qualifiedName(value)
  if (problems.length > 0 || value.includes('/')) return problems
  return ['must be a domain-prefixed key (such as "acme.io/foo")']
}

/** At least this many segments; a trailing dot is allowed if two suffice. */
const fullyQualified =
  (segments: number, words: string): Format =>
  (value) => {
    const name = segments === 2 && value.endsWith('.') ? value.slice(0, -1) : value
    const problems = dns1123Subdomain(name)
    if (problems.length > 0) return [problems.join(',')]
    if (name.split('.').length < segments) return [`should be a domain with at least ${words} segments separated by dots`]
    return []
  }

function url(value: string): string[] {
  return URL.canParse(value) ? [] : ['must be a valid URL']
}

function localPath(value: string): string[] {
  const problems = value.startsWith('/') ? ['must be a relative path'] : []
  return [...problems, ...parentReference(value)]
}

function parentReference(value: string): string[] {
  return value.split('/').includes('..') ? ["must not contain '..'"] : []
}

const identifierPattern = '[A-Za-z_][A-Za-z0-9_]*'
const conditionReasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'

/** Names for `format` in definitions. */
export const formats = {
  dns1123Label,
  dns1123Subdomain,
  longName,
  longNameCaseless,
  shortName,
  dns1035Label: bounded(nameLimit, (value) => isLabel(value) && isLower(value.charCodeAt(0)), label1035Message),
  wildcardSubdomain: bounded(subdomainLimit, (value) => value.startsWith('*.') && isSubdomain(value.slice(2)), wildcardMessage),
  fullyQualifiedName: fullyQualified(3, 'three'),
  fullyQualifiedDomainName: fullyQualified(2, 'two'),
  pathSegment,
  qualifiedName,
  labelKey: qualifiedName,
  labelValue,
  portName,
  configMapKey: (value: string) => [...configMapKeyRule(value), ...notParentFolder(value)],
  envVarName,
  httpPath: pattern(isHTTPPath, httpPathMessage),
  httpHeaderName: pattern(
    (value) => /^[-A-Za-z0-9]+$/.test(value),
    regexMessage("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name'),
  ),
  percent: pattern(
    (value) => /^[0-9]+%$/.test(value),
    regexMessage("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%'),
  ),
  identifier: pattern(
    (value) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(value),
    regexMessage(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
      identifierPattern,
      'my_name',
      'MY_NAME',
      'MyName',
    ),
  ),
  conditionReason: pattern(
    (value) => value.length > 0 && /^[A-Za-z][A-Za-z0-9_,:]*$/.test(value) && !/[,:]$/.test(value),
    regexMessage(
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
      conditionReasonPattern,
      'my_name',
      'MY_NAME',
      'MyName',
      'ReasonA,ReasonB',
      'ReasonA:ReasonB',
    ),
  ),
  ip,
  strictIP,
  cidr,
  strictCIDR,
  interfaceAddress,
  absolutePath: pattern((value) => value.startsWith('/'), 'must be an absolute path'),
  localPath,
  noParentReference: parentReference,
  domainPrefixedPath,
  domainPrefixedKey,
  url,
  uuid: pattern(
    (value) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value),
    'must be a lowercase UUID in 8-4-4-4-12 format',
  ),
  cronSchedule,
  timeZone: pattern((value) => isTimeZone(value), 'unknown time zone'),
} satisfies Readonly<Record<string, Format>>

export type FormatName = keyof typeof formats

/** `must be between 1 and 65535, inclusive`, or no error. */
export function inRange(value: number, min: number, max: number): string[] {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`]
}

/** Port numbers 1 to 65535. */
export const portNumber = (port: number) => inRange(port, 1, 65535)

/** A name prefix for validation: replaces a trailing dash, which precedes the generated suffix, as the reference does. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
}

export { pathSegmentPrefix }
