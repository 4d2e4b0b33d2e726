/** Validates persistent volume claims. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import { equal } from '../../schema/json/equal.ts'
import { copyOf } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer, Json } from '../../schema/model.ts'
import { asJson, validateFormat, validateSupported, validateUnchanged } from '../validation.ts'
import { changesOf } from './diff.ts'
import type { PersistentVolumeClaim as PersistentVolumeClaimSchema, PersistentVolumeClaimSpec } from './persistentvolumeclaim.ts'
import { compare, signOf } from './quantities.ts'
import type { TypedObjectReference } from './references.ts'
import { validateSelector } from './scheduling-validation.ts'

type Claim = Infer<typeof PersistentVolumeClaimSchema>
type ClaimSpec = Infer<typeof PersistentVolumeClaimSpec>

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const volumeModes = ['Block', 'Filesystem']

/** ReadWriteOncePod must be the only mode. */
export function validateAccessModes(modes: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const mode of modes) validateSupported(mode, accessModes, path, errors)
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  if (others && modes.includes('ReadWriteOncePod')) errors.forbidden(path, 'may not use ReadWriteOncePod with other access modes')
}

function validatePositive(amount: string, path: FieldPath, errors: FieldErrors): void {
  if (signOf(amount) <= 0) errors.invalid(path, amount, 'must be greater than zero')
}

export function validateCapacity(name: string, amount: string, path: FieldPath, errors: FieldErrors): void {
  const at = path.key(name)
  if (signOf(amount) < 0) errors.invalid(at, Number(scaledQuantity(parseQuantity(amount), 0)), 'must be a valid resource quantity')
  validatePositive(amount, at, errors)
}

type DataSource = Infer<typeof TypedObjectReference>

function validateDataSource({ kind, name, namespace, ...source }: DataSource, path: FieldPath, errors: FieldErrors): void {
  const apiGroup = source.apiGroup ?? ''
  if (!name) errors.required(path.child('name'))
  if (!kind) errors.required(path.child('kind'))
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  }
  if (apiGroup !== '') {
    errors.forgivable('groups of sources', () => validateFormat(apiGroup, 'dns1123Subdomain', path.child('apiGroup'), errors))
  }
  if (namespace) validateFormat(namespace, 'dns1123Label', path.child('namespace'), errors)
}

export function validateClaimSpec(spec: ClaimSpec, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { accessModes: modes = [], dataSource, dataSourceRef, volumeMode } = spec
  if (modes.length === 0) errors.required(path.child('accessModes'), 'at least 1 access mode is required')
  validateSelector(spec.selector, path.child('selector'), errors, context)
  validateAccessModes(modes, path.child('accessModes'), errors)
  const storage = spec.resources?.requests?.['storage']
  const at = path.child('resources').key('storage')
  if (storage === undefined) errors.required(at)
  else validatePositive(storage, at, errors)
  if (spec.storageClassName) validateFormat(spec.storageClassName, 'dns1123Subdomain', path.child('storageClassName'), errors)
  if (volumeMode !== undefined) validateSupported(volumeMode, volumeModes, path.child('volumeMode'), errors)
  if (dataSource) validateDataSource(dataSource, path.child('dataSource'), errors)
  if (dataSourceRef) validateDataSource(dataSourceRef, path.child('dataSourceRef'), errors)
  if (dataSource && dataSourceRef) {
    const { namespace, ...reference } = dataSourceRef
    // The reference shows the path of dataSource as the value, which is an empty object in JSON.
    const add = (why: string) => errors.addAsIs('FieldValueInvalid', path, {}, why)
    if (namespace) add('may not be specified when dataSourceRef.namespace is specified')
    else if (!equal(dataSource as Json, reference as Json)) add('must match dataSourceRef')
  }
  const attributes = spec.volumeAttributesClassName
  if (attributes) validateFormat(attributes, 'dns1123Subdomain', path.child('volumeAttributesClassName'), errors)
}

const classAnnotation = 'volume.beta.<labels>/storage-class'

/** Mutable parts of a claim's spec: the volume once, an unset class, and for bound claims size and attributes class. */
export function validateClaimUpdate(claim: Claim, old: Claim, errors: FieldErrors, { platform }: HookContext): void {
  const spec = FieldPath.of('spec')
  const annotation = platform.name(classAnnotation)
  const annotated = old.metadata?.annotations?.[annotation]
  const now = claim.metadata?.annotations?.[annotation]
  const next: ClaimSpec = copyOf(claim.spec)
  const before: ClaimSpec = { ...old.spec }
  if (!before.volumeName) before.volumeName = next.volumeName
  const upgrades = annotated !== undefined && before.storageClassName === undefined && next.storageClassName === annotated
  if (upgrades && (now === undefined || now === annotated)) delete next.storageClassName
  else {
    if ((now ?? '') !== (annotated ?? '')) {
      errors.invalid(FieldPath.of('metadata', 'annotations', annotation), now ?? '', 'field is immutable')
    }
    const fromNothing = next.storageClassName !== undefined && before.storageClassName === undefined
    if (fromNothing && (annotated === undefined || annotated === next.storageClassName)) delete next.storageClassName
  }
  if (claim.status?.phase === 'Bound') {
    const storage = before.resources?.requests?.['storage']
    if (next.resources?.requests && storage !== undefined) {
      next.resources = { ...next.resources, requests: { ...next.resources.requests, storage } }
    }
    next.volumeAttributesClassName = before.volumeAttributesClassName
  }
  const changes = changesOf(asJson(before), asJson(next), (value) => errors.shown(spec, value))
  if (changes !== '') {
    const what = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.forbidden(spec, `${what}\n${changes}`)
  }
  validateShrinking(claim, old, errors)
  validateUnchanged(claim.spec?.volumeMode, old.spec?.volumeMode, FieldPath.of('volumeMode'), errors)
  validateAttributesClass(claim, old, spec.child('volumeAttributesClassName'), errors)
}

/** After a failed expansion a claim may be reduced again, but not below its current capacity (KEP-1790). */
function validateShrinking({ spec }: Claim, old: Claim, errors: FieldErrors): void {
  const size = spec?.resources?.requests?.['storage'] ?? '0'
  if (compare(size, old.spec?.resources?.requests?.['storage'] ?? '0') >= 0) return
  if (compare(size, old.status?.capacity?.['storage'] ?? '0') > 0) return
  errors.forbidden(FieldPath.of('spec', 'resources', 'requests', 'storage'), 'field can not be less than status.capacity')
}

function validateAttributesClass({ spec }: Claim, old: Claim, path: FieldPath, errors: FieldErrors): void {
  const name = spec?.volumeAttributesClassName
  if (name === old.spec?.volumeAttributesClassName || old.status?.currentVolumeAttributesClassName === undefined) return
  const to = name === undefined ? 'nil' : name === '' ? 'empty string' : undefined
  if (to) errors.forbidden(path, `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`)
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

function validateStorageKey(key: string, path: FieldPath, errors: FieldErrors, { platform }: HookContext): boolean {
  const problems = formats.qualifiedName(key)
  for (const problem of problems) errors.invalid(path, key, problem)
  if (problems.length > 0) return false
  const native = !key.includes('/') || key.includes(`${platform.labelDomain}/`)
  if (native && key !== 'storage') errors.notSupported(path, key, ['storage'])
  return !native || key === 'storage'
}

export function validateClaimStatus({ status = {} }: Claim, _old: Claim, errors: FieldErrors, context: HookContext): void {
  const path = FieldPath.of('status')
  const validateSize = (amount: string, at: FieldPath) => {
    if (signOf(amount) < 0) errors.invalid(at, Number(scaledQuantity(parseQuantity(amount), 0)), 'must be a valid resource quantity')
  }
  for (const [name, amount] of Object.entries(status.capacity ?? {})) validateSize(amount, path.child('capacity').key(name))
  const statuses = path.child('allocatedResourceStatuses')
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    validateStorageKey(name, statuses, errors, context)
    if (!resizeStatuses.includes(state)) errors.notSupported(statuses, name, resizeStatuses)
  }
  const allocated = path.child('allocatedResources')
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    if (validateStorageKey(name, allocated, errors, context)) validateSize(amount, allocated.key(name))
  }
}

/** Keeps dataSource and dataSourceRef equal (KEP-1495); the former supports only claims and snapshots. */
export function pairDataSources(spec: ClaimSpec, old: ClaimSpec | undefined, { platform, settings }: HookContext): void {
  const crosses = spec.dataSourceRef?.namespace && !settings.enabled('CrossNamespaceVolumeDataSource')
  if (crosses && !old?.dataSourceRef) delete spec.dataSourceRef
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined
  const { kind = '', apiGroup: group } = spec.dataSource ?? {}
  // An absent group is null in JSON.
  const apiGroup = group ?? ''
  const snapshots = platform.name('snapshot.storage.<domain>')
  const known = apiGroup === '' ? kind === 'PersistentVolumeClaim' : apiGroup === snapshots && kind === 'VolumeSnapshot'
  // Beside a dataSourceRef it stays, so that validation finds the difference.
  if (!inUse && !known && !spec.dataSourceRef) delete spec.dataSource
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource }
  else if (!spec.dataSource && spec.dataSourceRef && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...reference } = spec.dataSourceRef
    spec.dataSource = reference
  }
}
