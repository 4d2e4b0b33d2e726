/** Formats of DNS names and of label keys and values. */

/** Returns error messages for a value. */
export type Format = (value: string) => string[]

export const tooLong = (limit: number) => `must be no more than ${limit} characters`
const tooLongInBytes = (limit: number) => `must be no more than ${limit} bytes`
export const nonEmpty = 'must be non-empty'

/** `message (e.g. 'a',  or 'b', regex used for validation is '…')` */
export function regexMessage(message: string, pattern: string, ...examples: string[]): string {
  const used = `regex used for validation is '${pattern}'`
  if (examples.length === 0) return `${message} (${used})`
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${used})`
}

export const isLower = (code: number) => code >= 97 && code <= 122
const isUpper = (code: number) => code >= 65 && code <= 90
const isDigit = (code: number) => code >= 48 && code <= 57
const isLowerOrDigit = (code: number) => isLower(code) || isDigit(code)
const isAlphanumeric = (code: number) => isLowerOrDigit(code) || isUpper(code)

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`
const [hyphen, dot, underscore] = [45, 46, 95]

/** Other characters, and labels that are empty or that start or end with a hyphen. */
const notInSubdomain = /[^-.a-z0-9]|\.[-.]|-\./

/** Whether a text is labels with dots in between. */
export const isSubdomain = (text: string): boolean =>
  isLowerOrDigit(text.charCodeAt(0)) && isLowerOrDigit(text.charCodeAt(text.length - 1)) && !notInSubdomain.test(text)

export const isLabel = (text: string) => isSubdomain(text) && !text.includes('.')

const subdomainMessage = regexMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainPattern,
  'example.com',
)
const caselessMessage = regexMessage(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainPattern,
  'Example.com',
)
const labelMessage = regexMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  labelPattern,
  'my-name',
  '123-abc',
)
export const label1035Message = regexMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)
export const wildcardMessage = regexMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomainPattern}`,
  '*.example.com',
)

export const bytes = (text: string) => {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) length += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return length
}

/** Whether a text has more bytes than `limit`. Long texts are not counted. */
const exceeds = (text: string, limit: number) => text.length > limit || bytes(text) > limit

/** One message if the test fails. */
export const pattern =
  (test: (value: string) => boolean, message: string): Format =>
  (value) =>
    test(value) ? [] : [message]

/** As `pattern`, with a maximum length. */
export const bounded =
  (limit: number, test: (value: string) => boolean, message: string): Format =>
  (value) => [...(exceeds(value, limit) ? [tooLong(limit)] : []), ...(test(value) ? [] : [message])]

const qualifiedNamePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const qualifiedNameMessage = regexMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedNamePattern,
  'MyName',
  'my.name',
  '123-abc',
)
const labelValueMessage = regexMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${qualifiedNamePattern})?`,
  'MyValue',
  'my_value',
  '12345',
)
export const nameLimit = 63
export const subdomainLimit = 253
const noErrors: string[] = []

/** Whether the text from a position on is non-empty, and has letters, digits, and in between `-_.`. */
function isName(text: string, from: number): boolean {
  if (!isAlphanumeric(text.charCodeAt(from)) || !isAlphanumeric(text.charCodeAt(text.length - 1))) return false
  for (let i = from + 1; i < text.length - 1; i++) {
    const code = text.charCodeAt(i)
    if (!isAlphanumeric(code) && code !== hyphen && code !== dot && code !== underscore) return false
  }
  return true
}

/** A subdomain, in the words of declarative validation (k8s-long-name). */
export const longName: Format = (value) => [
  ...(exceeds(value, subdomainLimit) ? [tooLongInBytes(subdomainLimit)] : []),
  ...(isSubdomain(value) ? [] : [subdomainMessage]),
]

/** As `longName`, also with capital letters (k8s-long-name-caseless). */
export const longNameCaseless: Format = (value) => [
  ...(exceeds(value, subdomainLimit) ? [tooLongInBytes(subdomainLimit)] : []),
  ...(isSubdomain(value.toLowerCase()) ? [] : [caselessMessage]),
]

/** A label, in the words of declarative validation (k8s-short-name). */
export const shortName: Format = (value) =>
  dns1123Label(value).map((problem) => (problem === tooLong(nameLimit) ? tooLongInBytes(nameLimit) : problem))

export const dns1123Subdomain = bounded(subdomainLimit, isSubdomain, subdomainMessage)

export function dns1123Label(value: string): string[] {
  const problems = exceeds(value, nameLimit) ? [tooLong(nameLimit)] : []
  if (!isSubdomain(value)) return [...problems, labelMessage]
  return value.includes('.') ? [...problems, 'must not contain dots'] : problems
}

/** Label and annotation keys: a name with an optional DNS prefix. */
export function qualifiedName(value: string): string[] {
  const slash = value.indexOf('/')
  if (slash !== value.lastIndexOf('/')) {
    return [`a valid label key ${qualifiedNameMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const length = value.length - slash - 1
  const fits = length <= nameLimit && isName(value, slash + 1)
  if (fits && (slash < 0 || (slash > 0 && slash <= subdomainLimit && isSubdomain(value.slice(0, slash))))) return noErrors
  const problems: string[] = []
  if (slash === 0) problems.push(`prefix part ${nonEmpty}`)
  else if (slash > 0) {
    const prefix = value.slice(0, slash)
    if (exceeds(prefix, subdomainLimit)) problems.push(`prefix part ${tooLongInBytes(subdomainLimit)}`)
    if (!isSubdomain(prefix)) problems.push(`prefix part ${subdomainMessage}`)
  }
  if (length === 0) problems.push(`name part ${nonEmpty}`)
  else if (exceeds(value.slice(slash + 1), nameLimit)) problems.push(`name part ${tooLongInBytes(nameLimit)}`)
  if (!isName(value, slash + 1)) problems.push(`name part ${qualifiedNameMessage}`)
  return problems
}

export function labelValue(value: string): string[] {
  const fits = value === '' || isName(value, 0)
  if (fits && value.length <= nameLimit) return noErrors
  return [...(exceeds(value, nameLimit) ? [tooLongInBytes(nameLimit)] : []), ...(fits ? [] : [labelValueMessage])]
}
