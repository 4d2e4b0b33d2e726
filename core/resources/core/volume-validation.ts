/** Validation of the volumes of a pod. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFormat, validateRequiredFormat } from '../validation.ts'
import { validateClaimSpec } from './claim-validation.ts'
import { pullPolicies, validateChoice } from './container-validation.ts'
import type { Volumes } from './mount-validation.ts'
import { validateMode } from './path-validation.ts'
import type { PersistentVolumeClaimTemplate } from './persistentvolumeclaim.ts'
import { validateDownwardFile, validateKeys, validateProjected } from './projected-validation.ts'
import { signOf } from './quantities.ts'
import { validateTemplateMeta } from './template-meta.ts'
import type { Volume as VolumeSchema } from './volume.ts'
import {
  azureDisk,
  fc,
  flexVolume,
  flocker,
  hostPath,
  iscsi,
  iscsiInitiator,
  needs,
  nfs,
  partitioned,
  quobyte,
  storageos,
  targetLength,
  tooLongTarget,
  validateDriver,
  validateSecretRef,
} from './volume-source-validation.ts'

type Volume = Infer<typeof VolumeSchema>
type Sources = Omit<Volume, 'name'>
type Rule<T> = (source: T, path: FieldPath, errors: FieldErrors, context: HookContext) => void

/** Validation by source, in order: the first source that is set is validated. */
const sourceRules: { readonly [K in keyof Sources]-?: Rule<NonNullable<Sources[K]>> } = {
  emptyDir({ sizeLimit }, path, errors) {
    if (sizeLimit !== undefined && signOf(sizeLimit) < 0) {
      errors.forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')
    }
  },
  hostPath,
  gitRepo({ repository, directory = '' }, path, errors) {
    if (!repository) errors.required(path.child('repository'))
    validateFormat(directory, 'localPath', path.child('directory'), errors)
  },
  gcePersistentDisk: partitioned('pdName'),
  awsElasticBlockStore: partitioned('volumeID'),
  secret(source, path, errors) {
    validateKeys(source, source.secretName, 'secretName', path, errors)
  },
  nfs,
  iscsi(source, path, errors) {
    const unknown = 'must be valid format starting with iqn, eui, or naa'
    if (!source.targetPortal) errors.required(path.child('targetPortal'))
    iscsi(source, unknown, path, errors)
    iscsiInitiator(source, unknown, path, errors)
  },
  glusterfs: needs('endpoints', 'path'),
  flocker,
  persistentVolumeClaim: needs('claimName'),
  rbd: needs('monitors', 'image'),
  cinder({ volumeID, secretRef }, path, errors) {
    if (!volumeID) errors.required(path.child('volumeID'))
    validateSecretRef(secretRef, false, path.child('secretRef'), errors)
  },
  cephfs: needs('monitors'),
  quobyte,
  downwardAPI({ defaultMode, items = [] }, path, errors) {
    validateMode(defaultMode, path.child('defaultMode'), errors)
    for (const file of items) validateDownwardFile(file, path, errors)
  },
  fc,
  flexVolume,
  configMap(source, path, errors) {
    validateKeys(source, source.name, 'name', path, errors)
  },
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  storageos(source, path, errors) {
    storageos(source, false, path, errors)
  },
  projected: validateProjected,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi({ driver, nodePublishSecretRef: secret }, path, errors) {
    validateDriver(driver, path.child('driver'), errors)
    if (!secret) return
    if (!secret.name) errors.required(path.child('nodePublishSecretRef').child('name'))
    else validateFormat(secret.name, 'dns1123Subdomain', path.child('name'), errors)
  },
  ephemeral({ volumeClaimTemplate }, path, errors, context) {
    const at = path.child('volumeClaimTemplate')
    if (volumeClaimTemplate) validateClaimTemplate(volumeClaimTemplate, at, errors, context)
    else errors.required(at)
  },
  image({ pullPolicy }, path, errors) {
    validateChoice(pullPolicy, pullPolicies, path.child('pullPolicy'), errors)
  },
}

const sourceNames = Object.keys(sourceRules) as (keyof Sources)[]

/** What the volume sets, in the order of the rules. */
function sourcesOf(volume: Volume): (keyof Sources)[] {
  const given = Object.keys(volume).filter((name): name is keyof Sources => Object.hasOwn(sourceRules, name))
  return given.length < 2 ? given : given.sort((a, b) => sourceNames.indexOf(a) - sourceNames.indexOf(b))
}

/** The reference's names of sources in errors, if different. */
const reportedAs: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' }
const refusedAs: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' }

function validateClaimTemplate(
  { metadata, spec }: Infer<typeof PersistentVolumeClaimTemplate>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  validateTemplateMeta(metadata ?? {}, path.child('metadata'), errors)
  validateClaimSpec(spec, path.child('spec'), errors, context)
}

/** `pod`: the pod's name, empty if not known; undefined for a template, whose images may be chosen later. */
function validateVolume(volume: Volume, pod: string | undefined, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const [found, ...others] = sourcesOf(volume)
  if (pod !== undefined && found === 'image' && !volume.image?.reference) errors.required(path.child('image').child('reference'))
  if (found !== undefined) (sourceRules[found] as Rule<unknown>)(volume[found], path.child(reportedAs[found] ?? found), errors, context)
  for (const name of others) errors.forbidden(path.child(refusedAs[name] ?? name), 'may not specify more than 1 volume type')
  const { iscsi: target } = volume
  if (target?.initiatorName !== undefined && `${volume.name}:${target.targetPortal}`.length > targetLength) {
    errors.invalid(path.child('name'), volume.name, tooLongTarget)
  }
  if (found === 'ephemeral' && pod && volume.name !== '') {
    const claim = `${pod}-${volume.name}`
    for (const problem of formats.dns1123Subdomain(claim)) {
      errors.invalid(path.child('name'), volume.name, `PVC name ${JSON.stringify(claim)}: ${problem}`)
    }
  }
  if (found === undefined) errors.required(path, 'must specify a volume type')
}

/** Validates the volumes, and returns the valid ones by name. */
export function validateVolumes(
  volumes: readonly Volume[],
  pod: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): Volumes {
  const good = new Map<string, Volume>()
  const ownClaims = new Set(!pod ? [] : volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${pod}-${name}`))
  volumes.forEach((volume, index) => {
    const at = path.index(index)
    const before = errors.count
    validateVolume(volume, pod, at, errors, context)
    validateRequiredFormat(volume.name, 'dns1123Label', at.child('name'), errors)
    if (good.has(volume.name)) errors.duplicate(at.child('name'), volume.name)
    if (errors.count === before) good.set(volume.name, volume)
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined && ownClaims.has(claim)) {
      const why = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.invalid(at.child('persistentVolumeClaim').child('claimName'), claim, why)
    }
  })
  return good
}
