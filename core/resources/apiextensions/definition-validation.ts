/** Validates CustomResourceDefinitions. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { partsOf } from '../in-parts.ts'
import { asJson, validateSupported, validateUnchanged } from '../validation.ts'
import { sharedLast, validateVersions } from './all-versions-validation.ts'
import { validateApproval } from './approval-validation.ts'
import { validateBundle, validateConversion } from './conversion-validation.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from './customresourcedefinition.ts'

export type Definition = Infer<typeof CustomResourceDefinition>
type Names = Infer<typeof CustomResourceDefinitionNames>
type Version = Definition['spec']['versions'][number]

const root = FieldPath.of('spec')

const isEstablished = ({ status }: Definition) =>
  status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')

const bundleOf = ({ conversion }: Definition['spec']) => conversion?.webhook?.clientConfig?.caBundle ?? ''

/** The name follows from plural and group. */
export const nameProblems = ({ spec: { names, group } }: Definition, name: string, found: readonly string[]) =>
  name === `${names.plural}.${group}` ? found : [...found, 'must be spec.names.plural+"."+spec.group']

export function validateDefinition(definition: Definition, errors: FieldErrors, context: HookContext, old?: Definition): void {
  const { spec, status } = definition
  validateGroup(spec.group, errors)
  if (spec.scope === '') errors.required(root.child('scope'))
  else validateSupported(spec.scope, ['Cluster', 'Namespaced'], root.child('scope'), errors)
  validateVersions(spec, old?.spec, errors, partsOf(context.part))
  validateRequiredNames(spec.names, errors)
  validateNames(spec.names, root.child('names'), errors)
  sharedLast(errors)
  validateCounts(spec, old?.spec, errors)
  validateConversion(spec, root.child('conversion'), errors)
  if (old) validateFixed(definition, old, errors)
  const bundle = bundleOf(spec)
  if (old && bundle !== '' && spec.conversion?.strategy === 'Webhook' && isEstablished(old)) {
    validateBundle(bundle, root.child('conversion').child('webhookClientConfig').child('caBundle'), errors, bundleOf(old.spec))
  }
  validateDefinitionStatus(definition, errors)
  validateStored(status?.storedVersions ?? [], spec.versions ?? [], errors)
  validateApproval(definition, old, errors, context)
  if (spec.preserveUnknownFields && !old?.spec.preserveUnknownFields) {
    const detail = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
    errors.invalid(root.child('preserveUnknownFields'), true, detail)
  }
}

export function validateDefinitionStatus({ status }: Definition, errors: FieldErrors): void {
  if (status?.acceptedNames) validateNames(status.acceptedNames, FieldPath.of('status', 'acceptedNames'), errors)
}

/** Maximum versions of a definition: each is a resource of its own, with its rows, discovery and OpenAPI documents. */
const maxVersions = 1_000
/** Maximum short names and categories of all versions together: discovery has those of the definition in each of its versions. */
const maxListedNames = 100_000

const countVersions = ({ versions }: Definition['spec']) => versions?.length ?? 0

const countListedNames = (spec: Definition['spec']) =>
  ((spec.names.shortNames?.length ?? 0) + (spec.names.categories?.length ?? 0)) * countVersions(spec)

const counts = [
  { path: root.child('versions'), count: countVersions, max: maxVersions },
  { path: root.child('names'), count: countListedNames, max: maxListedNames },
]

/** The reference has no such bounds, but takes minutes to serve such a definition. Those that are stored may shrink. */
function validateCounts(spec: Definition['spec'], old: Definition['spec'] | undefined, errors: FieldErrors): void {
  for (const { path, count, max } of counts) {
    const items = count(spec)
    if (items > Math.max(max, old ? count(old) : 0)) errors.tooMany(path, items, max)
  }
}

/** Fields that determine store keys and URL paths are immutable. */
function validateFixed({ spec }: Definition, old: Definition, errors: FieldErrors): void {
  if (isEstablished(old)) {
    validateUnchanged(spec.scope, old.spec.scope, root.child('scope'), errors)
    validateUnchanged(spec.names.kind, old.spec.names.kind, root.child('names').child('kind'), errors)
  }
  validateUnchanged(spec.group, old.spec.group, root.child('group'), errors)
  validateUnchanged(spec.names.plural, old.spec.names.plural, root.child('names').child('plural'), errors)
}

function validateGroup(group: string, errors: FieldErrors): void {
  const path = root.child('group')
  const problems = formats.dns1123Subdomain(group)
  if (group === '') errors.required(path)
  else if (problems.length > 0) errors.invalid(path, group, problems.join(','))
  else if (!group.includes('.')) errors.invalid(path, group, 'should be a domain with at least one dot')
}

function validateRequiredNames(names: Names, errors: FieldErrors): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names[name]) errors.required(root.child('names').child(name))
  }
}

function validateNames(names: Names, path: FieldPath, errors: FieldErrors): void {
  const validateName = (value: string | undefined, at: FieldPath, mixedCase = false) => {
    if (value) validateLabel(value, at, mixedCase)
  }
  const validateLabel = (value: string, at: FieldPath, mixedCase = false) => {
    const problems = formats.dns1035Label(mixedCase ? value.toLowerCase() : value)
    const start = mixedCase ? 'may have mixed case, but should otherwise match: ' : ''
    if (problems.length > 0) errors.invalid(at, value, `${start}${problems.join(',')}`)
  }
  validateName(names.plural, path.child('plural'))
  validateName(names.singular, path.child('singular'))
  validateName(names.kind, path.child('kind'), true)
  validateName(names.listKind, path.child('listKind'), true)
  names.shortNames?.forEach((name, index) => {
    validateLabel(name, path.child('shortNames').index(index))
  })
  if (names.kind && names.kind === names.listKind) {
    errors.invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same')
  }
  names.categories?.forEach((name, index) => {
    validateLabel(name, path.child('categories').index(index))
  })
}

/** Objects may be stored in any of these versions; each must stay until the objects have been migrated. */
function validateStored(stored: readonly string[], versions: readonly Version[], errors: FieldErrors) {
  const path = FieldPath.of('status', 'storedVersions')
  if (stored.length === 0) return errors.invalid(path, null, 'must have at least one stored version')
  const left = new Set(stored)
  for (const { name, storage } of versions) {
    // A second version of that name is not found any more.
    const isStored = left.delete(name)
    if (storage && !isStored) errors.invalid(path, asJson(stored), `must have the storage version ${name}`)
  }
  const names = new Set(versions.map(({ name }) => name))
  stored.forEach((name, index) => {
    if (names.has(name)) return
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    errors.invalid(path.index(index), name, detail)
  })
}
