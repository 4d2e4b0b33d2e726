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

/** Whether text[from, to) is non-empty, starts and ends with `edge`, and otherwise has only `edge` and `extra` characters. */
function isWord(text: string, from: number, to: number, edge: (code: number) => boolean, extra: string): boolean {
  if (to <= from || !edge(text.charCodeAt(from)) || !edge(text.charCodeAt(to - 1))) return false
  for (let i = from + 1; i < to - 1; i++) if (!edge(text.charCodeAt(i)) && !extra.includes(text.charAt(i))) return false
  return true
}

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`
export const isLabel = (text: string) => isWord(text, 0, text.length, isLowerOrDigit, '-')

export function isSubdomain(text: string): boolean {
  let from = 0
  for (let dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', from)) {
    if (!isWord(text, from, dot, isLowerOrDigit, '-')) return false
    from = dot + 1
  }
  return isWord(text, from, text.length, isLowerOrDigit, '-')
}

const subdomainMessage = regexMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainPattern,
  'example.com',
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

/** One message if the test fails. */
export const pattern =
  (test: (value: string) => boolean, message: string): Format =>
  (value) =>
    test(value) ? [] : [message]

/** As `pattern`, with a maximum length. */
export const bounded =
  (limit: number, test: (value: string) => boolean, message: string): Format =>
  (value) => [...(bytes(value) > limit ? [tooLong(limit)] : []), ...(test(value) ? [] : [message])]

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
const isName = (text: string, from: number) => isWord(text, from, text.length, isAlphanumeric, '-_.')

export const dns1123Subdomain = bounded(subdomainLimit, isSubdomain, subdomainMessage)

export function dns1123Label(value: string): string[] {
  const problems = bytes(value) > nameLimit ? [tooLong(nameLimit)] : []
  if (isLabel(value)) return problems
  return [...problems, isSubdomain(value) ? 'must not contain dots' : labelMessage]
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
    if (bytes(prefix) > subdomainLimit) problems.push(`prefix part ${tooLongInBytes(subdomainLimit)}`)
    if (!isSubdomain(prefix)) problems.push(`prefix part ${subdomainMessage}`)
  }
  if (length === 0) problems.push(`name part ${nonEmpty}`)
  else if (bytes(value.slice(slash + 1)) > nameLimit) problems.push(`name part ${tooLongInBytes(nameLimit)}`)
  if (!isName(value, slash + 1)) problems.push(`name part ${qualifiedNameMessage}`)
  return problems
}

export function labelValue(value: string): string[] {
  const fits = value === '' || isName(value, 0)
  if (fits && value.length <= nameLimit) return noErrors
  return [...(bytes(value) > nameLimit ? [tooLongInBytes(nameLimit)] : []), ...(fits ? [] : [labelValueMessage])]
}
