import { latin1, sameBytes } from '../../../schema/bytes.ts'
import { bitsOf, childrenOf, type Der, oidOf, readDer, tags } from '../../../schema/formats/der.ts'
import { type GeneralName, type NameConstraints, nameConstraintsOf } from './name-constraints.ts'

/** A parsed X.509 certificate (RFC 5280): the parts that client authentication needs. */
export interface Certificate {
  /** 1 to 3; only version 3 has extensions. */
  readonly version: number
  readonly raw: Uint8Array<ArrayBuffer>
  /** DER of the TBSCertificate, which the signature covers. */
  readonly signed: Uint8Array<ArrayBuffer>
  /** AlgorithmIdentifier of the signature. */
  readonly signatureAlgorithm: Der
  readonly signature: Uint8Array<ArrayBuffer>
  /** DER of the names; issuer and subject are compared byte for byte. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  /** Attributes of the subject in order: type and text (undefined when the value is not a string type). */
  readonly attributes: readonly (readonly [type: string, value: string | undefined])[]
  /** Milliseconds since the epoch, both inclusive. */
  readonly notBefore: number
  readonly notAfter: number
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly extensions: Extensions
}

export interface Extensions {
  /** basicConstraints: absent without the extension. */
  readonly authority?: boolean
  /** pathLenConstraint: maximum number of intermediate authorities below this one. */
  readonly pathLength?: number
  /** keyUsage keyCertSign: absent without the extension. */
  readonly signsCertificates?: boolean
  /** extKeyUsage: absent without the extension. */
  readonly purposes?: readonly string[]
  /** subjectAltName: absent without the extension. */
  readonly names?: readonly GeneralName[]
  /** nameConstraints: absent without the extension. */
  readonly constraints?: NameConstraints
  /** Identifiers of critical extensions that this code does not support. */
  readonly unknownCritical: readonly string[]
}

/** Throws an Error when the bytes are not a certificate. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  const outer = readDer(bytes)
  const [body, signatureAlgorithm, signature, ...rest] = childrenOf(outer)
  if (body === undefined || signatureAlgorithm === undefined || signature === undefined || rest.length > 0) throw malformed()
  const fields = childrenOf(body)
  const version = fields[0]?.tag === 0xa0 ? fields[0] : undefined
  const offset = version === undefined ? 0 : 1
  const [, algorithm, issuer, validity, subject, publicKey, ...more] = fields.slice(offset)
  if (algorithm === undefined || issuer === undefined || validity === undefined || subject === undefined || publicKey === undefined) {
    throw malformed()
  }
  if (!sameBytes(algorithm.raw, signatureAlgorithm.raw)) throw new Error('malformed certificate: signature algorithms differ')
  const [notBefore, notAfter] = childrenOf(validity)
  if (notBefore === undefined || notAfter === undefined) throw malformed()
  const extensions = more.find(({ tag }) => tag === 0xa3)
  return {
    version: version === undefined ? 1 : smallInteger(readDer(version.content)) + 1,
    raw: outer.raw,
    signed: body.raw,
    signatureAlgorithm,
    signature: bitsOf(signature),
    issuer: issuer.raw,
    subject: subject.raw,
    attributes: attributesOf(subject),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    publicKey: publicKey.raw,
    extensions: extensionsOf(extensions === undefined ? [] : childrenOf(readDer(extensions.content))),
  }
}

const malformed = () => new Error('malformed certificate')

const utf8 = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
const utf16 = (bytes: Uint8Array) => new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }).decode(bytes)

/** String types of names, by tag: UTF8String, NumericString, PrintableString, TeletexString, IA5String, BMPString. */
const texts: { readonly [tag: number]: (bytes: Uint8Array) => string } = {
  12: utf8,
  18: latin1,
  19: latin1,
  20: latin1,
  22: latin1,
  30: utf16,
}

/** Attributes of a name in order: type and text (undefined when the value is not a string type). */
export function attributesOf(name: Der): [string, string | undefined][] {
  return childrenOf(name).flatMap((set) =>
    childrenOf(set, tags.set).map((attribute): [string, string | undefined] => {
      const [type, value] = childrenOf(attribute)
      if (type === undefined || value === undefined) throw malformed()
      return [oidOf(type), texts[value.tag]?.(value.content)]
    }),
  )
}

/** Reads UTCTime or GeneralizedTime, each in the one form that RFC 5280 4.1.2.5 allows. */
function timeOf({ tag, content }: Der): number {
  const text = latin1(content)
  const form = tag === 23 ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/ : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/
  const [, year, month, day, hour, minute, second] = (tag === 23 || tag === 24 ? form.exec(text) : null)?.map(Number) ?? []
  if (year === undefined || month === undefined) throw new Error(`malformed certificate: time ${JSON.stringify(text)}`)
  const century = tag === 24 ? 0 : year < 50 ? 2000 : 1900
  return Date.UTC(century + year, month - 1, day, hour, minute, second)
}

type Parts = { -readonly [K in keyof Omit<Extensions, 'unknownCritical'>]: Extensions[K] }

const nameConstraints = '2.5.29.30'

/** Supported extensions, by identifier. */
const readers: { readonly [oid: string]: (value: Der) => Parts } = {
  '2.5.29.15': (value) => ({ signsCertificates: value.tag === tags.bitString && ((value.content[1] ?? 0) & 0x04) !== 0 }),
  '2.5.29.19': (value) => {
    const [authority, length] = childrenOf(value)
    if (authority?.tag !== tags.boolean) return { authority: false }
    const isAuthority = authority.content[0] !== 0
    return { authority: isAuthority, ...(length?.tag === tags.integer && { pathLength: smallInteger(length) }) }
  },
  '2.5.29.17': (value) => ({ names: childrenOf(value).map(({ tag, content }) => ({ tag, content })) }),
  [nameConstraints]: (value) => ({ constraints: nameConstraintsOf(value) }),
  '2.5.29.37': (value) => ({ purposes: childrenOf(value).map(oidOf) }),
}

/** Extensions that don't restrict the use of a certificate: policies, key identifiers. */
const harmless = new Set(['2.5.29.14', '2.5.29.32', '2.5.29.35'])

function smallInteger({ content }: Der): number {
  if (content.length !== 1 || (content[0] ?? 0) > 127) throw new Error('malformed certificate: integer out of range')
  return content[0] ?? 0
}

function extensionsOf(list: readonly Der[]): Extensions {
  let found: Parts = {}
  const unknownCritical: string[] = []
  const seen = new Set<string>()
  for (const extension of list) {
    const [id, ...rest] = childrenOf(extension)
    const value = rest.at(-1)
    if (id === undefined || value?.tag !== tags.octetString) throw malformed()
    const oid = oidOf(id)
    if (seen.has(oid)) throw new Error(`malformed certificate: extension ${oid} occurs twice`)
    seen.add(oid)
    const critical = rest.length === 2 && rest[0]?.content[0] !== 0
    const read = Object.hasOwn(readers, oid) ? readers[oid] : undefined
    if (read !== undefined) found = { ...found, ...read(readDer(value.content)) }
    else if (critical && !harmless.has(oid)) unknownCritical.push(oid)
    if (critical && oid === nameConstraints && found.constraints?.others) unknownCritical.push(oid)
  }
  return { ...found, unknownCritical }
}
