/** Validation of persistent volumes. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { internalValue } from '../../schema/internal-value.ts'
import { equal } from '../../schema/json/equal.ts'
import { given } from '../../schema/json/given-empty.ts'
import { isObject } from '../../schema/json/is-object.ts'
import type { HookContext, Infer, Json, Message } from '../../schema/model.ts'
import { asJson, validateFormat, validateRequiredFormat, validateSupported, validateUnchanged } from '../validation.ts'
import { validateAccessModes, validateCapacity, volumeModes } from './claim-validation.ts'
import { changesOf } from './diff.ts'
import type { PersistentVolume as PersistentVolumeSchema, PersistentVolumeSource } from './persistentvolume.ts'
import { validateNodeSelector } from './scheduling-validation.ts'
import {
  azureDisk,
  fc,
  flexVolume,
  flocker,
  hostPath,
  iscsi,
  iscsiInitiator,
  local,
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

type PersistentVolume = Infer<typeof PersistentVolumeSchema>
type Spec = NonNullable<PersistentVolume['spec']>
type Sources = Infer<typeof PersistentVolumeSource>
type Rule<T> = (source: T, path: FieldPath, errors: FieldErrors, context: HookContext & { readonly name: string }) => void

const csiSecrets = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const

/** Validation by source, in order: the first source that is set is validated. */
const sourceRules: { readonly [K in keyof Sources]-?: Rule<NonNullable<Sources[K]>> } = {
  hostPath,
  gcePersistentDisk: partitioned('pdName'),
  awsElasticBlockStore: partitioned('volumeID'),
  glusterfs(source, path, errors) {
    needs<typeof source>('endpoints', 'path')(source, path, errors)
    const namespace = source.endpointsNamespace
    const at = path.child('endpointsNamespace')
    if (namespace === '') errors.invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name')
    else validateFormat(namespace, 'dns1123Label', at, errors)
  },
  flocker,
  nfs,
  rbd: needs('monitors', 'image'),
  quobyte,
  cephfs: needs('monitors'),
  iscsi(source, path, errors, { name }) {
    const unknown = 'must be valid format'
    if (!source.targetPortal) errors.required(path.child('targetPortal'))
    if (source.initiatorName !== undefined && `${name}:${source.targetPortal}`.length > targetLength) {
      errors.invalid(path.child('targetportal'), source.targetPortal, tooLongTarget)
    }
    iscsi(source, unknown, path, errors)
    validateSecretRef(source.secretRef, false, path.child('secretRef'), errors)
    iscsiInitiator(source, unknown, path, errors)
  },
  cinder({ volumeID, secretRef }, path, errors) {
    if (!volumeID) errors.required(path.child('volumeID'))
    validateSecretRef(secretRef, true, path.child('secretRef'), errors)
  },
  fc,
  flexVolume,
  azureFile(source, path, errors) {
    needs<typeof source>('secretName', 'shareName')(source, path, errors)
    if (source.secretNamespace === '') errors.required(path.child('secretNamespace'))
  },
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  local,
  storageos(source, path, errors) {
    storageos(source, true, path, errors)
  },
  csi(source, path, errors) {
    validateDriver(source.driver, path.child('driver'), errors)
    if (!source.volumeHandle) errors.required(path.child('volumeHandle'))
    for (const name of csiSecrets) {
      const secret = source[name]
      if (!secret) continue
      validateRequiredFormat(secret.name, 'dns1123Subdomain', path.child(name).child('name'), errors)
      validateRequiredFormat(secret.namespace, 'dns1123Label', path.child(name).child('namespace'), errors)
    }
  },
}

const reportedAs: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' }
const refusedAs: Readonly<Record<string, string>> = { cephfs: 'cephFS' }
/** Sources that the reference validates beside another one. */
const tolerated = new Set(['flexVolume'])

function validateSource(spec: Spec, name: string, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  let found = false
  for (const [key, rule] of Object.entries(sourceRules)) {
    const source = spec[key as keyof Sources]
    if (source === undefined) continue
    if (found && !tolerated.has(key)) errors.forbidden(path.child(refusedAs[key] ?? key), 'may not specify more than 1 volume type')
    else {
      ;(rule as Rule<unknown>)(source, path.child(reportedAs[key] ?? key), errors, { ...context, name })
      if (key === 'local' && !spec.nodeAffinity) errors.required(path.child('nodeAffinity'), 'Local volume requires node affinity')
    }
    found = true
  }
  if (!found) errors.required(path, 'must specify a volume type')
}

function validateModes({ accessModes = [] }: Spec, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('accessModes')
  if (accessModes.length === 0) errors.required(at)
  validateAccessModes(accessModes, at, errors)
}

/** Whether an absolute path leads to the root. */
function isRoot(path: string): boolean {
  if (!path.startsWith('/')) return false
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return depth === 0
}

function validateRecycling({ persistentVolumeReclaimPolicy: policy, hostPath }: Spec, path: FieldPath, errors: FieldErrors): void {
  if (policy === 'Recycle' && hostPath && isRoot(hostPath.path))
    errors.forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")
}

export function validatePersistentVolume({ metadata, spec = {} }: PersistentVolume, errors: FieldErrors, context: HookContext): void {
  const path = FieldPath.of('spec')
  const { capacity = {}, persistentVolumeReclaimPolicy: policy, volumeMode } = spec
  validateModes(spec, path, errors)
  const at = path.child('capacity')
  const names = Object.keys(capacity)
  if (names.length === 0) errors.required(at)
  if (names.length !== 1 || names[0] !== 'storage') errors.notSupported(at, asJson(given(spec, 'capacity')), ['storage'])
  for (const [name, amount] of Object.entries(capacity)) validateCapacity(name, amount, at, errors)
  if (policy) validateSupported(policy, ['Delete', 'Recycle', 'Retain'], path.child('persistentVolumeReclaimPolicy'), errors)
  if (spec.nodeAffinity) {
    const required = path.child('nodeAffinity').child('required')
    if (spec.nodeAffinity.required) validateNodeSelector(spec.nodeAffinity.required, required, errors)
    else errors.required(required, 'must specify required node constraints')
  }
  validateSource(spec, metadata?.name ?? '', path, errors, context)
  validateRecycling(spec, path, errors)
  if (spec.storageClassName) validateFormat(spec.storageClassName, 'dns1123Subdomain', path.child('storageClassName'), errors)
  if (volumeMode !== undefined) validateSupported(volumeMode, volumeModes, path.child('volumeMode'), errors)
  validateAttributesClass(spec, path, errors)
}

/** The volume of an attachment that has no persistent volume. */
export function validateInlineVolume(spec: Spec, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { claimRef, capacity = {}, csi, persistentVolumeReclaimPolicy: policy, nodeAffinity, storageClassName, volumeMode } = spec
  const inline = 'in the context of inline volumes'
  const refuse = (name: keyof Spec, why = `may not be specified ${inline}`) => errors.forbidden(path.child(name), why)
  if (claimRef) refuse('claimRef')
  if (Object.keys(capacity).length > 0) refuse('capacity')
  if (!csi) errors.required(path.child('csi'), `has to be specified ${inline}`)
  validateModes(spec, path, errors)
  if (policy && policy !== 'Retain') refuse('persistentVolumeReclaimPolicy', `may only be Retain ${inline}`)
  if (nodeAffinity) refuse('nodeAffinity')
  validateSource(spec, '', path, errors, context)
  validateRecycling(spec, path, errors)
  if (storageClassName) refuse('storageClassName')
  if (volumeMode !== undefined && volumeMode !== 'Filesystem')
    refuse('volumeMode', `may not specify volumeMode other than Filesystem ${inline}`)
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: Spec, path: FieldPath, errors: FieldErrors): void {
  if (name === undefined) return
  validateRequiredFormat(name, 'dns1123Subdomain', path.child('volumeAttributesClassName'), errors, 'an empty string is disallowed')
  if (!csi) errors.required(path.child('csi'), 'has to be specified when using volumeAttributesClassName')
}

/** Labels of nodes that have left beta, and their names since. */
const betaLabels = new Map([
  ['failure-domain.beta.<labels>/zone', 'topology.<labels>/zone'],
  ['failure-domain.beta.<labels>/region', 'topology.<labels>/region'],
  ['beta.<labels>/os', '<labels>/os'],
  ['beta.<labels>/arch', '<labels>/arch'],
  ['beta.<labels>/instance-type', 'node.<labels>/instance-type'],
])

/** Whether the affinity is unchanged, apart from keys that are now the lasting names of labels. */
function isSameAffinity(now: Json, before: Json, { platform }: HookContext): boolean {
  const lasting = new Map([...betaLabels].map(([beta, name]) => [platform.name(beta), platform.name(name)]))
  const same = (a: Json | undefined, b: Json | undefined): boolean => {
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => same(item, b[index]))
    if (!isObject(a) || !isObject(b)) return equal(a, b)
    const isRenamed = typeof b['key'] === 'string' && lasting.get(b['key']) === a['key']
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].every((name) => (name === 'key' && isRenamed) || same(a[name], b[name]))
  }
  return same(now, before)
}

/** The source is immutable; node affinity can be set once. The rules of a new volume are listed once more, as in the reference. */
export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  { spec: old = {} }: PersistentVolume,
  errors: FieldErrors,
  context: HookContext,
  sources: Message,
): void {
  validatePersistentVolume(volume, errors, context)
  const { spec = {} } = volume
  const now = { ...spec }
  if (now.csi?.controllerExpandSecretRef && old.csi && !old.csi.controllerExpandSecretRef) {
    now.csi = { ...now.csi, controllerExpandSecretRef: undefined }
  }
  const changes = changesOf(asJson(old), asJson(now), (value) => internalValue(sources, value))
  if (changes !== '') {
    const why = `spec.persistentvolumesource is immutable after creation\n${changes}`
    errors.forbidden(FieldPath.of('spec', 'persistentvolumesource'), why)
  }
  validateUnchanged(spec.volumeMode, old.volumeMode, FieldPath.of('volumeMode'), errors)
  const isFixed = old.nodeAffinity && !context.settings.enabled('MutablePVNodeAffinity')
  if (isFixed && !isSameAffinity(asJson(spec.nodeAffinity), asJson(old.nodeAffinity), context)) {
    const why = 'field is immutable, except for updating from beta label to GA'
    errors.invalid(FieldPath.of('nodeAffinity'), errors.shown(FieldPath.of('spec', 'nodeAffinity'), asJson(spec.nodeAffinity)), why)
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.forbidden(FieldPath.of('spec', 'volumeAttributesClassName'), 'update from non-nil value to nil is forbidden')
  }
}
