/** Validates a webhook's CA bundle (reference: ValidateCABundle of pkg/util/webhook). */
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { childrenOf, readDer } from '../../schema/formats/der.ts'

const blocks = /-----BEGIN ([^-\n]+)-----\r?\n([A-Za-z0-9+/=\s]*)-----END \1-----/g

/** A certificate consists of content, algorithm and signature. */
function isCertificate(base64: string): boolean {
  try {
    return childrenOf(readDer(decodeBase64(base64.replace(/\s+/g, '')))).length === 3
  } catch {
    return false
  }
}

/** Error of a bundle (PEM, in base64) without certificates; undefined: valid, or empty (the host's roots). */
export function bundleProblem(bundle: string): string | undefined {
  if (bundle === '') return undefined
  const found = [...new TextDecoder().decode(decodeBase64(bundle)).matchAll(blocks)]
  const certificates = found.filter(([, label]) => label === 'CERTIFICATE')
  if (certificates.some(([, , body = '']) => isCertificate(body))) return undefined
  const why =
    found.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate: x509: malformed certificate'
  return `unable to load root certificates: ${why}`
}
