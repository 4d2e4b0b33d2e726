import { decodeBase64 } from '../../schema/formats/base64.ts'

const block = /-----BEGIN ([^-\n]+)-----\r?\n([^-]*)-----END \1-----/g
const sequence = 0x30

/** Whether the bytes are a single DER SEQUENCE (X.690 8.1). */
function isSequence(bytes: Uint8Array): boolean {
  const [tag, first = 0] = bytes
  if (tag !== sequence) return false
  if (first < 0x80) return bytes.length === first + 2
  const count = first & 0x7f
  const length = bytes.subarray(2, 2 + count).reduce((value, byte) => value * 256 + byte, 0)
  return count > 0 && bytes.length === length + 2 + count
}

/** Error of an issued certificate (PEM, RFC 7468, in base64); undefined when valid or empty. */
export function certificateFault(base64: string): string | undefined {
  if (base64 === '') return undefined
  const text = new TextDecoder().decode(decodeBase64(base64))
  const blocks = [...text.matchAll(block)]
  for (const [, label = '', body = ''] of blocks) {
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`
    if (body.includes(':')) return 'no PEM block headers are permitted'
    try {
      if (!isSequence(decodeBase64(body.replace(/\s/g, '')))) return 'x509: malformed certificate'
    } catch {
      return 'x509: malformed certificate'
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}
