/** Validates pod certificate requests of nodes (KEP-4317). */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { isPlatformSigner, podCertificateSeconds, validateSignerName } from '../core/signer-name.ts'
import { validateUserAnnotations } from '../core/user-annotations.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { asJson, validateFormat } from '../validation.ts'
import { allowedSizes, isProof, requestSignatureFault } from './possession.ts'
import { type PublicKey, publicKey, requestedKey } from './public-key.ts'
import type { PodCertificateRequest } from './v1beta1/podcertificaterequest.ts'

type Request = Infer<typeof PodCertificateRequest>

const root = FieldPath.of('spec')
const maxLengths = { uid: 128, key: 10 * 1024, proof: 10 * 1024, stub: 10 * 1024, chain: 100 * 1024 }
const ends = ['Issued', 'Denied', 'Failed']

export function validatePodRequest({ spec }: Request, errors: FieldErrors, context: HookContext, old?: Request): void {
  if (old) return
  validateSignerName(spec.signerName, root.child('signerName'), errors)
  validateUserAnnotations(spec.unverifiedUserAnnotations, root.child('unverifiedUserAnnotations'), errors)
  for (const name of ['pod', 'serviceAccount', 'node'] as const) {
    validateFormat(spec[`${name}Name`], 'dns1123Subdomain', root.child(`${name}Name`), errors)
    const [uid, path] = [spec[`${name}UID`], root.child(`${name}UID`)]
    if (uid === '') errors.invalid(path, uid, 'must not be empty')
    if (uid.length > maxLengths.uid) errors.tooLong(path, maxLengths.uid)
  }
  const { maxExpirationSeconds: seconds } = spec
  const path = root.child('maxExpirationSeconds')
  if (seconds === undefined) {
    errors.required(path, 'must be set')
    return
  }
  const { min, maxOfPlatform, max: maxOfOthers } = podCertificateSeconds
  const max = isPlatformSigner(spec.signerName, context) ? maxOfPlatform : maxOfOthers
  if (seconds < min || seconds > max) errors.invalid(path, seconds, `must be in the range [${min}, ${max}]`)
  validateKey(spec, errors, context)
}

/** The strategy's `signatureFault`: of the PKCS #10 request, or of the proof. */
export async function podSignatureFault({ spec }: Request): Promise<string | undefined> {
  const { stubPKCS10Request: request, pkixPublicKey: key, proofOfPossession: proof } = spec
  if (request && request.length <= 2 * maxLengths.stub) return requestSignatureFault(decodeBase64(request)).catch(() => undefined)
  if (!key || !proof || Math.max(key.length, proof.length) > 2 * maxLengths.key) return undefined
  return (await isProof(decodeBase64(key), spec.podUID, decodeBase64(proof))) ? undefined : 'could not verify proof-of-possession signature'
}

/** Either a PKCS #10 request, or both of the deprecated fields. */
function validateKey(
  { stubPKCS10Request: request, pkixPublicKey: key, proofOfPossession: proof }: Request['spec'],
  errors: FieldErrors,
  { signatureFault }: HookContext,
): void {
  const before = errors.count
  if (request && !key && !proof) {
    const path = root.child('stubPKCS10Request')
    validateStub(request, path, errors)
    if (signatureFault !== undefined && errors.count === before) errors.invalidUnshown(path, 'invalid signature')
  } else if (!request && key && proof) {
    validatePublicKey(key, proof, errors)
    if (signatureFault !== undefined && errors.count === before) errors.invalidUnshown(root.child('proofOfPossession'), signatureFault)
  } else errors.invalidUnshown(root, 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set')
}

function validateStub(base64: string, path: FieldPath, errors: FieldErrors): void {
  const request = decodeBase64(base64)
  if (request.length > maxLengths.stub) {
    errors.tooLong(path, maxLengths.stub)
    return
  }
  const key = requestedKey(request)
  if (key === undefined) errors.invalidUnshown(path, 'must be a valid PKCS#10 CSR')
  else if (key === 'unknown') errors.invalidUnshown(path, unknownKey)
  else validateStrength(key, 'elliptic public keys must use curve P256, P384, or P521', path, errors)
}

function validatePublicKey(base64: string, proof: string, errors: FieldErrors): void {
  const path = root.child('pkixPublicKey')
  const before = errors.count
  validateSize(base64, maxLengths.key, path, errors)
  if (errors.count === before) validateSize(proof, maxLengths.proof, root.child('proofOfPossession'), errors)
  if (errors.count > before) return
  const key = publicKey(decodeBase64(base64))
  if (key === undefined) errors.invalid(path, base64, 'must be a valid PKIX-serialized public key')
  else if (key === 'unknown') errors.invalid(path, base64, unknownKey)
  else validateStrength(key, 'elliptic public keys must use curve P256 or P384', path, errors)
}

const unknownKey = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA'

function validateStrength(key: PublicKey, curves: string, path: FieldPath, errors: FieldErrors): void {
  if (key.type === 'ECDSA' && key.curve === 'P-224') errors.invalid(path, `curve ${key.curve}`, curves)
  if (key.type === 'RSA' && !allowedSizes.includes(key.bits))
    errors.invalid(path, `${key.bits}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')
}

function validateSize(base64: string, limit: number, path: FieldPath, errors: FieldErrors): void {
  if (decodeBase64(base64).length > limit) errors.tooLong(path, limit)
}

const endOf = ({ status }: Request) => status?.conditions?.find(({ type, status }) => ends.includes(type) && status === 'True')?.type

/** A request ends exactly once: issued, denied or failed. */
export function validatePodRequestStatus(request: Request, old: Request, errors: FieldErrors): void {
  const { status = {} } = request
  const path = FieldPath.of('status')
  const before = errors.count
  validateEnds(status.conditions ?? [], errors)
  validateConditions(status.conditions, path.child('conditions'), errors)
  if (errors.count > before) return
  const same = equal(asJson(status), asJson(old.status ?? {}))
  const end = endOf(request)
  if (endOf(old) !== undefined) {
    if (!same) errors.invalidUnshown(path, 'immutable after PodCertificateRequest is issued, denied, or failed')
  } else if (end === 'Denied' || end === 'Failed') {
    if (equal(asJson(status), { conditions: asJson(status.conditions) })) return
    errors.invalidUnshown(path, 'non-condition status fields must be empty when denying or failing the PodCertificateRequest')
  } else if (end === 'Issued') validateIssued(status, path, errors)
  else if (!same) errors.invalidUnshown(path, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"')
}

type Status = NonNullable<Request['status']>

function validateEnds(conditions: NonNullable<Status['conditions']>, errors: FieldErrors): void {
  let count = 0
  conditions.forEach(({ type, status }, index) => {
    const path = FieldPath.of('status', 'conditions', `[${index}]`)
    if (!ends.includes(type)) {
      errors.notSupported(path.child('type'), type, ends)
      return
    }
    count++
    if (count > 1) {
      errors.invalid(path.child('type'), type, 'There may be at most one condition with type "Issued", "Denied", or "Failed"')
    }
    if (status !== 'True') errors.notSupported(path.child('status'), status, ['True'])
  })
}

function validateIssued(
  { certificateChain: chain = '', notBefore, notAfter, beginRefreshAt }: Status,
  path: FieldPath,
  errors: FieldErrors,
) {
  const at = path.child('certificateChain')
  if (chain.length > maxLengths.chain) return errors.tooLong(at, maxLengths.chain)
  const labels = [...chain.matchAll(/-----BEGIN ([^-\n]+)-----/g)].map(([, label]) => label)
  if (labels.length === 0) return errors.invalid(at, chain, 'issued certificate chain must contain at least one certificate')
  if (labels.some((label) => label !== 'CERTIFICATE')) {
    return errors.invalid(at, chain, 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks')
  }
  const consistent = 'must be present and consistent with the issued certificate'
  if (!notBefore) errors.required(path.child('notBefore'), consistent)
  if (!notAfter) errors.required(path.child('notAfter'), consistent)
  if (!beginRefreshAt) errors.required(path.child('beginRefreshAt'), 'must be present and in the range [notbefore+10min, notafter-10min]')
  if (!notBefore || !notAfter || !beginRefreshAt) return
  const minutes = (text: string) => Date.parse(text) / 60_000
  const refresh = path.child('beginRefreshAt')
  if (minutes(beginRefreshAt) < minutes(notBefore) + 10) {
    errors.invalid(refresh, beginRefreshAt, 'must be at least 10 minutes after status.notBefore')
  } else if (minutes(beginRefreshAt) > minutes(notAfter) - 10) {
    errors.invalid(refresh, beginRefreshAt, 'must be at least 10 minutes before status.notAfter')
  }
}
