/** Validates certificate signing requests (KEP-1513). */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateSignerName } from '../core/signer-name.ts'
import { repeats } from '../validation.ts'
import type { CertificateSigningRequest } from './certificatesigningrequest.ts'
import { signedParts } from './signed-form.ts'

const spec = FieldPath.of('spec')
const block = /-----BEGIN ([^-\n]+)-----\r?\n([^-]*)-----END \1-----/
const minSeconds = 600

/** Whether the bytes look like a CertificationRequest (RFC 2986): information, algorithm, signature. */
const isRequest = (bytes: Uint8Array) => signedParts(bytes) !== undefined

function requestFault(base64: string): string | undefined {
  const [, label, body = ''] = block.exec(new TextDecoder().decode(decodeBase64(base64))) ?? []
  if (label !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    return isRequest(decodeBase64(body.replace(/\s/g, ''))) ? undefined : 'asn1: structure error: malformed certificate request'
  } catch {
    return 'asn1: structure error: malformed certificate request'
  }
}

export function validateRequest(object: Infer<typeof CertificateSigningRequest>, errors: FieldErrors, { platform }: HookContext): void {
  const { request, usages = [], signerName, expirationSeconds } = object.spec
  const fault = requestFault(request ?? '')
  if (fault !== undefined) errors.invalid(spec.child('request'), request, fault)
  if (usages.length === 0) errors.required(spec.child('usages'))
  const isRepeat = repeats()
  usages.forEach((usage, index) => {
    if (isRepeat(usage)) errors.duplicate(spec.child('usages').index(index), usage)
  })
  const signerAt = spec.child('signerName')
  if (signerName === platform.name('<labels>/legacy-unknown')) {
    errors.invalid(signerAt, signerName, 'the legacy signerName is not allowed via this API version')
  } else validateSignerName(signerName, signerAt, errors)
  if (expirationSeconds !== undefined && expirationSeconds < minSeconds) {
    errors.invalid(
      spec.child('expirationSeconds'),
      expirationSeconds,
      `may not specify a duration less than ${minSeconds} seconds (10 minutes)`,
    )
  }
}
