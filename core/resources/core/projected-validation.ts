/** Validation of projected volumes and of volumes from config maps and secrets. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, validateSupported } from '../validation.ts'
import { validateFieldRef, validateResourceFieldRef } from './env-validation.ts'
import { validateFilePath, validateMode } from './path-validation.ts'
import { validateSelector } from './scheduling-validation.ts'
import { bundleNameProblems, isPlatformSigner, podCertificateSeconds, validateSignerName } from './signer-name.ts'
import { validateUserAnnotations } from './user-annotations.ts'
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  VolumeProjection,
} from './volume-projected.ts'

type KeyPath = Infer<typeof KeyToPath>
type Projection = Infer<typeof VolumeProjection>

function validateKeyToPath({ key, path: file, mode }: KeyPath, path: FieldPath, errors: FieldErrors): void {
  if (!key) errors.required(path.child('key'))
  if (!file) errors.required(path.child('path'))
  validateFilePath(file, path.child('path'), errors)
  validateMode(mode, path.child('mode'), errors)
}

/** `name`: value of the field that names the source, which is called differently in some kinds. */
export function validateKeys(
  source: { defaultMode?: number | undefined; items?: KeyPath[] | undefined },
  name: string | undefined,
  nameField: string,
  path: FieldPath,
  errors: FieldErrors,
  validateItem?: (item: KeyPath) => void,
): void {
  if (!name) errors.required(path.child(nameField))
  validateMode(source.defaultMode, path.child('defaultMode'), errors)
  source.items?.forEach((item, index) => {
    validateKeyToPath(item, path.child('items').index(index), errors)
    validateItem?.(item)
  })
}

/** The reference names the source, not its item. */
export function validateDownwardFile(file: Infer<typeof DownwardAPIVolumeFile>, path: FieldPath, errors: FieldErrors): void {
  const { fieldRef, resourceFieldRef } = file
  if (!file.path) errors.required(path.child('path'))
  validateFilePath(file.path, path.child('path'), errors)
  if (fieldRef) {
    validateFieldRef(fieldRef, 'volume', path.child('fieldRef'), errors)
    if (resourceFieldRef) errors.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
  } else if (resourceFieldRef) validateResourceFieldRef(resourceFieldRef, 'volume', path.child('resourceFieldRef'), errors)
  else errors.required(path, 'one of fieldRef and resourceFieldRef is required')
  validateMode(file.mode, path.child('mode'), errors)
}

/** Lifetime of a token in seconds. */
const [minSeconds, maxSeconds] = [600, 2 ** 32]

function validateTrustBundle(
  bundle: Infer<typeof ClusterTrustBundleProjection>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { name, signerName, labelSelector } = bundle
  if (name !== undefined && signerName !== undefined) errors.invalid(path, asJson(bundle), 'only one of name and signerName may be used')
  else if (name !== undefined) {
    if (name === '') errors.required(path.child('name'), 'must be a valid object name')
    const signer = name.includes(':') ? name.slice(0, name.lastIndexOf(':')).replaceAll(':', '/') : ''
    for (const problem of bundleNameProblems(name, signer))
      errors.invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${problem}`)
    if (labelSelector) {
      errors.invalid(path.child('labelSelector'), asJson(labelSelector), 'labelSelector must be unset if name is specified')
    }
  } else if (signerName !== undefined) {
    if (signerName === '') errors.required(path.child('signerName'), 'must be a valid signer name')
    validateSignerName(signerName, path.child('signerName'), errors)
    validateSelector(labelSelector, path.child('labelSelector'), errors, context)
  } else errors.required(path, 'either name or signerName must be specified')
  if (!bundle.path) errors.required(path.child('path'))
  validateFilePath(bundle.path, path.child('path'), errors)
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
const certificateFiles = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const

/** KEP-4317. */
function validateCertificate(
  source: Infer<typeof PodCertificateProjection>,
  path: FieldPath,
  claim: Claim,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { signerName = '', keyType = '', maxExpirationSeconds: seconds, userAnnotations } = source
  validateSignerName(signerName, path.child('signerName'), errors)
  validateUserAnnotations(userAnnotations, path.child('userAnnotations'), errors)
  validateSupported(keyType, keyTypes, path.child('keyType'), errors)
  const { min, max, maxOfPlatform } = podCertificateSeconds
  const maxSeconds = isPlatformSigner(signerName, context) ? maxOfPlatform : max
  const at = path.child('maxExpirationSeconds')
  if (seconds !== undefined && seconds < min) errors.invalid(at, seconds, `if provided, maxExpirationSeconds must be >= ${min}`)
  if (seconds !== undefined && seconds > maxSeconds)
    errors.invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${maxSeconds}`)
  for (const name of certificateFiles) {
    const file = source[name]
    if (!file) continue
    validateFilePath(file, path.child(name), errors)
    claim(file, file)
  }
  if (!certificateFiles.some((name) => source[name]))
    errors.required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath')
}

/** Notes a file of the volume; `shown`: the value of the error when another source has it. */
type Claim = (file: string, shown: string) => void

function validateProjection(
  source: Projection,
  path: FieldPath,
  volume: FieldPath,
  claim: Claim,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source
  for (const [name, keyed] of Object.entries({ secret, configMap }))
    if (keyed)
      validateKeys({ items: keyed.items }, keyed.name, 'name', path.child(name), errors, (item) => claim(item.path, keyed.name ?? ''))
  for (const file of downwardAPI?.items ?? []) {
    validateDownwardFile(file, path.child('downwardAPI'), errors)
    claim(file.path, file.path)
  }
  if (serviceAccountToken) {
    const { expirationSeconds = minSeconds, path: file } = serviceAccountToken
    const at = path.child('serviceAccountToken').child('expirationSeconds')
    if (expirationSeconds < minSeconds) errors.invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes')
    if (expirationSeconds > maxSeconds) errors.invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')
    if (file) errors.forgivable('paths of tokens', () => validateFilePath(file, volume.child('path'), errors))
    else errors.required(volume.child('path'))
  }
  if (clusterTrustBundle) {
    validateTrustBundle(clusterTrustBundle, path.child('clusterTrustBundle'), errors, context)
    claim(clusterTrustBundle.path, clusterTrustBundle.path)
  }
  if (podCertificate) validateCertificate(podCertificate, path.child('podCertificate'), claim, errors, context)
}

export function validateProjected(
  { sources, defaultMode }: Infer<typeof ProjectedVolumeSource>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
) {
  validateMode(defaultMode, path.child('defaultMode'), errors)
  const taken = new Set<string>()
  const claim: Claim = (file, shown) => {
    if (taken.has(file)) errors.invalid(path, shown, 'conflicting duplicate paths')
    if (file) taken.add(file)
  }
  sources?.forEach((source, index) => {
    const at = path.child('sources').index(index)
    validateProjection(source, at, path, claim, errors, context)
    if (Object.values(source).filter(Boolean).length > 1) errors.forbidden(at, 'may not specify more than 1 volume type per source')
  })
}
