/**
 * Name constraints of authorities (RFC 5280 4.2.1.10), as crypto/x509 of Go has them: for DNS names, e-mail addresses, URIs and IP addresses in
 * the subjectAltName of the certificates below. Constraints of other types make the extension an unsupported one.
 */
import { latin1, sameBytes } from '../../../schema/bytes.ts'
import { childrenOf, type Der } from '../../../schema/formats/der.ts'
import { formatAddress, parseAddress } from '../../../schema/formats/ip.ts'

export interface NameConstraints {
  readonly permitted: readonly Constraint[]
  readonly excluded: readonly Constraint[]
  /** Whether there are constraints of other types. */
  readonly others: boolean
}

/** A name of subjectAltName: the tag of its type, and its bytes. */
export type GeneralName = Pick<Der, 'tag' | 'content'>

interface Constraint {
  readonly tag: number
  readonly text: string
  matches(name: Name, excludes: boolean): boolean
}

/** A name in the form that its constraints need. */
interface Name {
  readonly text: string
  readonly bytes: Uint8Array
  /** Part of an e-mail address before the host. */
  readonly local?: string
  readonly host: string
}

interface NameType {
  readonly label: string
  /** Throws an Error for a malformed name. */
  name(content: Uint8Array): Name
  /** Throws an Error for a malformed constraint. */
  constraint(content: Uint8Array): Omit<Constraint, 'tag'>
}

const malformed = () => new Error('malformed certificate: name constraints')

function ascii(bytes: Uint8Array): string {
  if (bytes.some((byte) => byte >= 0x80)) throw malformed()
  return latin1(bytes)
}

/** Labels of a host in lower case; undefined: it is none. */
function labelsOf(host: string): readonly string[] | undefined {
  if (host === '') return []
  const labels = host.toLowerCase().split('.')
  return labels.every((label) => label !== '' && [...label].every((char) => char > ' ' && char < '\x7f')) ? labels : undefined
}

function hostOf(text: string): string {
  if (text === '' || labelsOf(text) === undefined) throw malformed()
  return text
}

/** Whether labels end with these. */
const endsWith = (labels: readonly string[], end: readonly string[]) =>
  end.length <= labels.length && end.every((label, index) => labels[labels.length - end.length + index] === label)

/** A host matches itself and the hosts below it, with a leading dot only those. An excluded host excludes each wildcard that may stand for it. */
function hostConstraint(text: string): (host: string, excludes: boolean) => boolean {
  const below = text.startsWith('.')
  const wanted = labelsOf(below ? text.slice(1) : text)
  if (wanted === undefined) throw malformed()
  return (host, excludes) => {
    if (text === '') return true
    const labels = labelsOf(host) ?? []
    if (endsWith(labels, wanted) && !(below && labels.length === wanted.length)) return true
    return excludes && labels[0] === '*' && labels.length > 1 && labels.length === wanted.length && endsWith(labels, wanted.slice(1))
  }
}

const dns: NameType = {
  label: 'DNS name',
  name(content) {
    const text = hostOf(ascii(content))
    return { text, bytes: content, host: text }
  },
  constraint(content) {
    const text = ascii(content)
    const matches = hostConstraint(text)
    return { text, matches: ({ host }, excludes) => matches(host, excludes) }
  },
}

function mailbox(content: Uint8Array): Name & { readonly local: string } {
  const text = ascii(content)
  const at = text.lastIndexOf('@')
  if (at <= 0) throw malformed()
  return { text, bytes: content, local: text.slice(0, at), host: hostOf(text.slice(at + 1)) }
}

const email: NameType = {
  label: 'email address',
  name: mailbox,
  constraint(content) {
    const text = ascii(content)
    if (!text.includes('@')) {
      const matches = hostConstraint(text)
      return { text, matches: ({ host }, excludes) => matches(host, excludes) }
    }
    const wanted = mailbox(content)
    return { text, matches: ({ local, host }) => local === wanted.local && host.toLowerCase() === wanted.host.toLowerCase() }
  },
}

const uri: NameType = {
  label: 'URI',
  name(content) {
    const text = ascii(content)
    const host = URL.canParse(text) ? new URL(text).hostname : ''
    if (host.startsWith('[') || parseAddress(host) !== undefined) throw malformed()
    return { text, bytes: content, host: hostOf(host) }
  },
  constraint(content) {
    const text = ascii(content)
    if (parseAddress(text) !== undefined) throw malformed()
    const matches = hostConstraint(text)
    return { text, matches: ({ host }, excludes) => matches(host, excludes) }
  },
}

const lengths: readonly number[] = [4, 16]

/** Whether the bits of a mask that are set come before all others. */
function isMask(mask: Uint8Array): boolean {
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return !bits.includes('01')
}

const addressText = (bytes: Uint8Array) => formatAddress({ bytes: [...bytes], leadingZeros: false, mapped: false })

const ip: NameType = {
  label: 'IP address',
  name(content) {
    if (!lengths.includes(content.length)) throw malformed()
    return { text: addressText(content), bytes: content, host: '' }
  },
  constraint(content) {
    const half = content.length / 2
    const [address, mask] = [content.slice(0, half), content.slice(half)]
    if (!lengths.includes(half) || !isMask(mask)) throw malformed()
    const masked = (bytes: Uint8Array) => bytes.map((byte, index) => byte & (mask[index] ?? 0))
    return {
      text: addressText(address),
      matches: ({ bytes }) => bytes.length === half && sameBytes(masked(bytes), masked(address)),
    }
  },
}

/** By the tag of a GeneralName. */
const types: { readonly [tag: number]: NameType } = { 129: email, 130: dns, 134: uri, 135: ip }

/** Throws an Error for malformed or empty constraints. */
export function nameConstraintsOf(value: Der): NameConstraints {
  let others = false
  const subtrees = (list: Der | undefined): readonly Constraint[] =>
    (list === undefined ? [] : childrenOf(list, list.tag)).flatMap((subtree) => {
      const [base] = childrenOf(subtree)
      if (base === undefined) throw malformed()
      const type = types[base.tag]
      if (type === undefined) others = true
      return type ? [{ tag: base.tag, ...type.constraint(base.content) }] : []
    })
  const lists = childrenOf(value)
  const [permitted, excluded] = [0xa0, 0xa1].map((tag) => lists.find((list) => list.tag === tag))
  if (lists.every(({ content }) => content.length === 0)) throw malformed()
  return { permitted: subtrees(permitted), excluded: subtrees(excluded), others }
}

/** Maximum comparisons of a name with a constraint per certificate. */
const maxComparisons = 250_000

/** Why an authority with these constraints may not issue a certificate with these names; undefined: it may. */
export function constrainedName({ permitted, excluded }: NameConstraints, names: readonly GeneralName[]): string | undefined {
  if (names.length * (permitted.length + excluded.length) > maxComparisons) return 'too many name constraints to check'
  const problem = (label: string, name: string, why: string) =>
    `a root or intermediate certificate is not authorized to sign for this name: ${label} ${JSON.stringify(name)} ${why}`
  for (const { tag, content } of names) {
    const type = types[tag]
    if (type === undefined) continue
    let name: Name
    try {
      name = type.name(content)
    } catch {
      return `a root or intermediate certificate is not authorized to sign for this name: cannot parse ${type.label}`
    }
    const ofType = (constraint: Constraint) => constraint.tag === tag
    const allowed = permitted.filter(ofType)
    if (allowed.length > 0 && !allowed.some((constraint) => constraint.matches(name, false)))
      return problem(type.label, name.text, 'is not permitted by any constraint')
    const barred = excluded.find((constraint) => ofType(constraint) && constraint.matches(name, true))
    if (barred) return problem(type.label, name.text, `is excluded by constraint ${JSON.stringify(barred.text)}`)
  }
  return undefined
}
