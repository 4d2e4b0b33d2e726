/** Validation of projected volumes and of volumes from config maps and secrets. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { checkRequiredFormat } from '../checks.ts'
import { checkFieldRef, checkResourceFieldRef } from './env-validation.ts'
import { asJson } from './own-validation.ts'
import { checkFilePath, checkMode } from './path-validation.ts'
import { checkSelector } from './scheduling-validation.ts'
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  VolumeProjection,
} from './volume-projected.ts'

type KeyPath = Infer<typeof KeyToPath>
type Projection = Infer<typeof VolumeProjection>

function checkKeyToPath({ key, path: file, mode }: KeyPath, path: FieldPath, errors: FieldErrors): void {
  if (!key) errors.required(path.child('key'))
  if (!file) errors.required(path.child('path'))
  checkFilePath(file, path.child('path'), errors)
  checkMode(mode, path.child('mode'), errors)
}

/** `name`: value of the field that names the source, which is called differently in some kinds. */
export function checkKeys(
  source: { defaultMode?: number | undefined; items?: KeyPath[] | undefined },
  name: string | undefined,
  nameField: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!name) errors.required(path.child(nameField))
  checkMode(source.defaultMode, path.child('defaultMode'), errors)
  source.items?.forEach((item, index) => {
    checkKeyToPath(item, path.child('items').index(index), errors)
  })
}

/** The reference names the source, not its item. */
export function checkDownwardFile(file: Infer<typeof DownwardAPIVolumeFile>, path: FieldPath, errors: FieldErrors): void {
  const { fieldRef, resourceFieldRef } = file
  if (!file.path) errors.required(path.child('path'))
  checkFilePath(file.path, path.child('path'), errors)
  if (fieldRef) {
    checkFieldRef(fieldRef, 'volume', path.child('fieldRef'), errors)
    if (resourceFieldRef) errors.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
  } else if (resourceFieldRef) checkResourceFieldRef(resourceFieldRef, 'volume', path.child('resourceFieldRef'), errors)
  else errors.required(path, 'one of fieldRef and resourceFieldRef is required')
  checkMode(file.mode, path.child('mode'), errors)
}

const shortest = 600
const longest = 2 ** 32

function checkTrustBundle(
  bundle: Infer<typeof ClusterTrustBundleProjection>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { name, signerName, labelSelector } = bundle
  if (name !== undefined && signerName !== undefined) errors.invalid(path, asJson(bundle), 'only one of name and signerName may be used')
  else if (name !== undefined) {
    if (name === '') errors.required(path.child('name'), 'must be a valid object name')
    if (labelSelector) {
      errors.invalid(path.child('labelSelector'), asJson(labelSelector), 'labelSelector must be unset if name is specified')
    }
  } else if (signerName !== undefined) {
    checkRequiredFormat(signerName, 'domainPrefixedPath', path.child('signerName'), errors, 'must be a valid signer name')
    checkSelector(labelSelector, path.child('labelSelector'), errors, context)
  } else errors.required(path, 'either name or signerName must be specified')
  if (!bundle.path) errors.required(path.child('path'))
  checkFilePath(bundle.path, path.child('path'), errors)
}

/** Files of one source, with the value for errors. */
function filesOf({ secret, configMap, downwardAPI, clusterTrustBundle }: Projection): { path: string; shown: string }[] {
  return [
    ...(secret?.items ?? []).map(({ path }) => ({ path, shown: secret?.name ?? '' })),
    ...(configMap?.items ?? []).map(({ path }) => ({ path, shown: configMap?.name ?? '' })),
    ...(downwardAPI?.items ?? []).map(({ path }) => ({ path, shown: path })),
    ...(clusterTrustBundle ? [{ path: clusterTrustBundle.path, shown: clusterTrustBundle.path }] : []),
  ].filter(({ path }) => path !== '')
}

function checkProjection(source: Projection, path: FieldPath, volume: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = source
  if (secret) checkKeys({ items: secret.items }, secret.name, 'name', path.child('secret'), errors)
  if (configMap) checkKeys({ items: configMap.items }, configMap.name, 'name', path.child('configMap'), errors)
  for (const file of downwardAPI?.items ?? []) checkDownwardFile(file, path.child('downwardAPI'), errors)
  if (serviceAccountToken) {
    const { expirationSeconds = shortest, path: file } = serviceAccountToken
    const at = path.child('serviceAccountToken').child('expirationSeconds')
    if (expirationSeconds < shortest) errors.invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes')
    if (expirationSeconds > longest) errors.invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')
    if (file) errors.forgivable('paths of tokens', () => checkFilePath(file, volume.child('path'), errors))
    else errors.required(volume.child('path'))
  }
  if (clusterTrustBundle) checkTrustBundle(clusterTrustBundle, path.child('clusterTrustBundle'), errors, context)
}

export function checkProjected(
  { sources, defaultMode }: Infer<typeof ProjectedVolumeSource>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
) {
  checkMode(defaultMode, path.child('defaultMode'), errors)
  const taken = new Set<string>()
  sources?.forEach((source, index) => {
    const at = path.child('sources').index(index)
    checkProjection(source, at, path, errors, context)
    for (const { path: file, shown } of filesOf(source)) {
      if (taken.has(file)) errors.invalid(path, shown, 'conflicting duplicate paths')
      taken.add(file)
    }
    if (Object.values(source).filter(Boolean).length > 1) errors.forbidden(at, 'may not specify more than 1 volume type per source')
  })
}
