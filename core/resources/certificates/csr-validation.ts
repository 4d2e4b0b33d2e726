/** Validates certificate signing requests (KEP-1513). */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateSignerName } from '../core/signer-name.ts'
import { repeats } from '../validation.ts'
import type { CertificateSigningRequest } from './certificatesigningrequest.ts'
import { requestSignatureFault } from './possession.ts'
import { signedParts } from './signed-form.ts'

const spec = FieldPath.of('spec')
const block = /-----BEGIN ([^-\n]+)-----\r?\n([^-]*)-----END \1-----/
const minSeconds = 600

/** Whether the bytes look like a CertificationRequest (RFC 2986): information, algorithm, signature. */
const isRequest = (bytes: Uint8Array) => signedParts(bytes) !== undefined

/** Label and content of the first PEM block of a request. */
function blockOf(base64: string): { readonly label: string | undefined; readonly body: string } {
  const [, label, body = ''] = block.exec(new TextDecoder().decode(decodeBase64(base64))) ?? []
  return { label, body: body.replace(/\s/g, '') }
}

/** The strategy's `signatureFault`. */
export async function requestSignature({ spec }: Infer<typeof CertificateSigningRequest>): Promise<string | undefined> {
  // A request that was left out is null.
  const request = spec.request ?? ''
  if (requestFault(request) !== undefined) return undefined
  return requestSignatureFault(decodeBase64(blockOf(request).body)).catch(() => undefined)
}

function requestFault(base64: string): string | undefined {
  const { label, body } = blockOf(base64)
  if (label !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    return isRequest(decodeBase64(body)) ? undefined : 'asn1: structure error: malformed certificate request'
  } catch {
    return 'asn1: structure error: malformed certificate request'
  }
}

/** The request itself, which the reference validates before the other fields. */
export function validateRequestBlock(
  request: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  { signatureFault }: HookContext,
): void {
  const fault = requestFault(request ?? '') ?? signatureFault
  if (fault !== undefined) errors.invalid(path, request, fault)
}

export function validateRequest(object: Infer<typeof CertificateSigningRequest>, errors: FieldErrors, { platform }: HookContext): void {
  const { usages = [], signerName, expirationSeconds } = object.spec
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
