import { type KeyObject, sign } from 'node:crypto'
import { bitString, integer, oid, sequence, set, tagged, utf8 } from '../../../runtimes/node/pki/der.ts'

const attribute = (id: string, value: string) => set(sequence(oid(id), utf8(value)))

/** A PKCS #10 certificate request (RFC 2986) for a P-256 key, PEM. */
export function certificateRequest(name: string, organizations: readonly string[], publicKey: KeyObject, privateKey: KeyObject): string {
  const subject = sequence(...organizations.map((each) => attribute('2.5.4.10', each)), attribute('2.5.4.3', name))
  const body = sequence(integer(Uint8Array.of(0)), subject, publicKey.export({ type: 'spki', format: 'der' }), tagged(0))
  const request = sequence(body, sequence(oid('1.2.840.10045.4.3.2')), bitString(sign('sha256', body, privateKey)))
  const base64 = request.toString('base64').replace(/.{1,64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}-----END CERTIFICATE REQUEST-----\n`
}
