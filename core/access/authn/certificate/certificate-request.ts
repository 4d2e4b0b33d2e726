import { decodeBase64 } from '../../../schema/formats/base64.ts'
import { childrenOf, readDer } from '../../../schema/formats/der.ts'
import { pemBlocks } from '../../../schema/formats/pem.ts'
import { attributesOf } from './certificate.ts'

/** Subject of a certificate signing request. */
export interface RequestedSubject {
  /** The last CommonName; empty when there is none. */
  readonly commonName: string
  readonly organizations: readonly string[]
}

const commonName = '2.5.4.3'
const organization = '2.5.4.10'

/** Reads the subject of a PKCS #10 request (RFC 2986): PEM in base64, as API objects carry it. Throws an Error when it can't be parsed. */
export function requestedSubject(base64: string): RequestedSubject {
  const [block] = pemBlocks(new TextDecoder().decode(decodeBase64(base64)))
  if (block?.label !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST')
  const [information] = childrenOf(readDer(block.bytes))
  const [, subject] = information ? childrenOf(information) : []
  if (subject === undefined) throw new Error('malformed certificate request')
  const attributes = attributesOf(subject)
  const values = (wanted: string) => attributes.flatMap(([type, value]) => (type === wanted && value !== undefined ? [value] : []))
  return { commonName: values(commonName).at(-1) ?? '', organizations: values(organization) }
}
