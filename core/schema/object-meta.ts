/** Validation of `metadata` for all kinds (apimachinery api/validation/objectmeta.go). */
import type { Platform } from '../platform.ts'
import { isLongerThan } from './bytes.ts'
import type { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { type FormatName, formats, maskTrailingDash, pathSegmentPrefix } from './formats/formats.ts'
import { shortList } from './go/shorten.ts'
import { validateManagedFields } from './managed-fields.ts'
import type { Json } from './model.ts'

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean | undefined
  blockOwnerDeletion?: boolean | undefined
}

/** Metadata fields that the server uses (metav1.ObjectMeta). */
export interface ObjectMeta {
  name?: string
  generateName?: string
  selfLink?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: { [key: string]: string }
  annotations?: { [key: string]: string }
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: Json[]
}

/** Metadata as validation reads it. */
export type Metadata = { readonly [Name in keyof ObjectMeta]?: Readonly<ObjectMeta[Name]> | undefined }

export interface ObjectMetaRules {
  readonly namespaced: boolean
  /** Format of the name; absent on updates: the name was validated at creation. `longName`: what the name is generated from may be anything. */
  readonly nameFormat?: FormatName
  /** All problems of a name, or of what it is generated from, given those of its format. */
  readonly nameProblems?: ((name: string, found: readonly string[]) => readonly string[]) | undefined
  readonly path: FieldPath
}

const annotationsLimit = 256 * 1024
function validateName(
  { name = '', generateName = '' }: Metadata,
  nameFormat: FormatName,
  { path, nameProblems = (_name, found) => found }: ObjectMetaRules,
  errors: FieldErrors,
): void {
  if (generateName !== '' && nameFormat !== 'longName') {
    const found = nameFormat === 'pathSegment' ? pathSegmentPrefix(generateName) : formats[nameFormat](maskTrailingDash(generateName))
    for (const message of nameProblems(generateName, found)) errors.invalid(path.child('generateName'), generateName, message)
  }
  if (name === '') errors.required(path.child('name'), 'name or generateName is required')
  else for (const message of nameProblems(name, formats[nameFormat](name))) errors.invalid(path.child('name'), name, message)
}

function validateNamespace({ namespace = '' }: Metadata, { namespaced, path }: ObjectMetaRules, errors: FieldErrors): void {
  const at = path.child('namespace')
  if (!namespaced) {
    if (namespace !== '') errors.forbidden(at, 'not allowed on this type')
  } else if (namespace === '') errors.required(at)
  else for (const message of formats.dns1123Label(namespace)) errors.invalid(at, namespace, message)
}

/** Validates keys and values of labels. */
export function validateLabels(labels: Metadata['labels'], path: FieldPath, errors: FieldErrors): void {
  for (const key in labels) {
    const value = labels[key] as string
    for (const message of formats.qualifiedName(key)) errors.invalid(path, key, message)
    for (const message of formats.labelValue(value)) errors.invalid(path, value, message)
  }
}

/** Keys are validated ignoring case; all keys and values together have at most 256 KiB. */
export function validateAnnotations(annotations: Metadata['annotations'], path: FieldPath, errors: FieldErrors): void {
  if (annotations === undefined) return
  for (const key in annotations) for (const message of formats.qualifiedName(key.toLowerCase())) errors.invalid(path, key, message)
  validateAnnotationsSize(annotations, path, errors)
}

/** All keys and values together have at most 256 KiB. */
export function validateAnnotationsSize(annotations: NonNullable<Metadata['annotations']>, path: FieldPath, errors: FieldErrors): void {
  if (isLongerThan(annotationsLimit, Object.keys(annotations).concat(Object.values(annotations)))) errors.tooLong(path, annotationsLimit)
}

function validateOwner(owner: OwnerReference, path: FieldPath, errors: FieldErrors): void {
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner
  const parts = apiVersion.split('/')
  if (parts.length > 2 || parts.at(-1) === '') errors.invalid(path.child('apiVersion'), apiVersion, 'version must not be empty')
  if (kind === '') errors.invalid(path.child('kind'), kind, 'must not be empty')
  if (name === '') errors.invalid(path.child('name'), name, 'must not be empty')
  if (uid === '') errors.invalid(path.child('uid'), uid, 'must not be empty')
  if (apiVersion === 'v1' && kind === 'Event')
    errors.invalid(path, owner as unknown as Json, '/v1, Kind=Event is disallowed from being an owner')
}

function validateOwners(owners: readonly OwnerReference[], path: FieldPath, errors: FieldErrors): void {
  let controller: string | undefined
  for (const owner of owners) {
    validateOwner(owner, path, errors)
    if (!owner.controller) continue
    const current = `${owner.kind}/${owner.name}`
    if (controller === undefined) controller = current
    else {
      errors.invalid(
        path,
        owners as unknown as Json,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
      )
    }
  }
}

function validateFinalizers(finalizers: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const finalizer of finalizers) {
    for (const message of formats.qualifiedName(finalizer)) errors.invalid(path, finalizer, message)
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.invalid(path, [...finalizers], 'finalizer orphan and foregroundDeletion cannot be both set')
  }
}

/** Only known finalizers may have no domain: the platform's own and those of the garbage collector. */
export function validateFinalizer(name: string, path: FieldPath, errors: FieldErrors, { finalizer }: Pick<Platform, 'finalizer'>): void {
  if (name.includes('/') || name === finalizer || name === 'orphan' || name === 'foregroundDeletion') return
  errors.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')
}

function validateCollections({ labels, annotations, ownerReferences }: Metadata, path: FieldPath, errors: FieldErrors): void {
  if (labels) validateLabels(labels, path.child('labels'), errors)
  if (annotations) validateAnnotations(annotations, path.child('annotations'), errors)
  if (ownerReferences) validateOwners(ownerReferences, path.child('ownerReferences'), errors)
}

function validateGeneration({ generation = 0 }: Metadata, path: FieldPath, errors: FieldErrors): void {
  if (generation < 0) errors.invalid(path.child('generation'), generation, 'must be greater than or equal to 0')
}

/** Validates the metadata of an object to be created, after its name was generated. */
export function validateObjectMeta(meta: Metadata, rules: ObjectMetaRules, errors: FieldErrors): void {
  const { path, nameFormat } = rules
  const { finalizers, managedFields } = meta
  if (nameFormat !== undefined) validateName(meta, nameFormat, rules, errors)
  validateNamespace(meta, rules, errors)
  validateGeneration(meta, path, errors)
  validateCollections(meta, path, errors)
  if (finalizers) validateFinalizers(finalizers, path.child('finalizers'), errors)
  if (managedFields) validateManagedFields(managedFields, path.child('managedFields'), errors)
}

const immutable = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const
const texts = new Set<string>(['name', 'namespace', 'uid'])

/** Maximum characters of a list in an error. */
const maxShown = 4096

/** A list of finalizers as Go's %#v prints it. */
const goList = (items: readonly string[]) => `[]string{${shortList(items, maxShown, JSON.stringify)}}`

/**
 * Validates an update's metadata beyond `validateObjectMeta`. As in the reference, errors of labels, annotations, owners and managed fields,
 * which `validateObjectMeta` has found before, are repeated.
 */
export function validateObjectMetaUpdate(meta: Metadata, old: Metadata, path: FieldPath, errors: FieldErrors): void {
  if (old.deletionTimestamp) {
    const before = new Set(old.finalizers)
    const added = [...new Set((meta.finalizers ?? []).filter((finalizer) => !before.has(finalizer)))].sort()
    if (added.length > 0) {
      errors.forbidden(
        path.child('finalizers'),
        `no new finalizers can be added if the object is being deleted, found new finalizers ${goList(added)}`,
      )
    }
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented')
  }
  for (const name of immutable) {
    const unset = texts.has(name) ? '' : undefined
    // The unset time that a client gave is null.
    const value = meta[name] === undefined ? unset : meta[name]
    if (value !== (old[name] ?? unset)) errors.invalid(path.child(name), value, 'field is immutable')
  }
  if (errors.count === 0) return
  validateCollections(meta, path, errors)
  validateManagedFields(meta.managedFields ?? [], path.child('managedFields'), errors)
}
