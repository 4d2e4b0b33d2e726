/** Rules for definitions of custom resources. */
import { equal } from '../../schema/equal.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats.ts'
import { printJson } from '../../schema/json-text.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, checkSupported, checkUnchanged } from '../checks.ts'
import { checkApproval } from './approval-rules.ts'
import { checkBundle, checkConversion } from './conversion-rules.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from './customresourcedefinition.ts'
import { checkColumn, checkSelectable, checkSubresources, checkVersionSchema, checkWarning, schemaOf } from './version-rules.ts'

export type Definition = Infer<typeof CustomResourceDefinition>
type Names = Infer<typeof CustomResourceDefinitionNames>
type Version = Definition['spec']['versions'][number]

const root = FieldPath.of('spec')
const allVersions = root.child('versions')

const isEstablished = ({ status }: Definition) =>
  status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')

const bundleOf = ({ conversion }: Definition['spec']) => conversion?.webhook?.clientConfig?.caBundle ?? ''

export function checkDefinition(definition: Definition, errors: FieldErrors, context: HookContext, old?: Definition): void {
  const { metadata, spec, status } = definition
  if (!old && metadata?.name !== `${spec.names.plural}.${spec.group}`) {
    errors.invalid(FieldPath.of('metadata', 'name'), metadata?.name ?? '', 'must be spec.names.plural+"."+spec.group')
  }
  checkGroup(spec.group, errors)
  if (spec.scope === '') errors.required(root.child('scope'))
  else checkSupported(spec.scope, ['Cluster', 'Namespaced'], root.child('scope'), errors)
  // Required, so that an absent list is null.
  const versions = spec.versions ?? []
  checkVersions(versions, old?.spec.versions ?? [], errors)
  checkRequiredNames(spec.names, errors)
  checkNames(spec.names, root.child('names'), errors)
  checkConversion(spec, root.child('conversion'), errors)
  if (old) checkFixed(definition, old, errors)
  const bundle = bundleOf(spec)
  if (old && bundle !== '' && isEstablished(old)) {
    checkBundle(bundle, root.child('conversion').child('webhookClientConfig').child('caBundle'), errors, bundleOf(old.spec))
  }
  checkStatus(definition, errors)
  checkStored(status?.storedVersions ?? [], versions, errors)
  checkApproval(definition, old, errors, context)
  if (spec.preserveUnknownFields && !old?.spec.preserveUnknownFields) {
    const detail = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
    errors.invalid(root.child('preserveUnknownFields'), true, detail)
  }
}

export function checkStatus({ status }: Definition, errors: FieldErrors): void {
  if (status?.acceptedNames) checkNames(status.acceptedNames, FieldPath.of('status', 'acceptedNames'), errors)
}

/** What the keys in the store and the paths of URLs are made of. */
function checkFixed({ spec }: Definition, old: Definition, errors: FieldErrors): void {
  if (isEstablished(old)) {
    checkUnchanged(spec.scope, old.spec.scope, root.child('scope'), errors)
    checkUnchanged(spec.names.kind, old.spec.names.kind, root.child('names').child('kind'), errors)
  }
  checkUnchanged(spec.group, old.spec.group, root.child('group'), errors)
  checkUnchanged(spec.names.plural, old.spec.names.plural, root.child('names').child('plural'), errors)
}

function checkGroup(group: string, errors: FieldErrors): void {
  const path = root.child('group')
  const problems = formats.dns1123Subdomain(group)
  if (group === '') errors.required(path)
  else if (problems.length > 0) errors.invalid(path, group, problems.join(','))
  else if (!group.includes('.')) errors.invalid(path, group, 'should be a domain with at least one dot')
}

/** A part that is the same in all versions is judged, and reported, once. */
function eachPart<T>(versions: readonly Version[], part: (version: Version) => T, common: FieldPath, own: string, check: Check<T>) {
  const [first] = versions
  if (first && versions.every((each) => equal(asJson(part(each)), asJson(part(first))))) return check(part(first), common, first)
  versions.forEach((version, index) => {
    check(part(version), allVersions.index(index).child(own), version)
  })
}
type Check<T> = (part: T, path: FieldPath, version: Version) => void

function checkVersions(versions: readonly Version[], old: readonly Version[], errors: FieldErrors): void {
  const isUnchanged = ({ name, ...version }: Version) => {
    const before = old.find((each) => each.name === name)
    return before !== undefined && equal(asJson(schemaOf({ name, ...version })), asJson(schemaOf(before)))
  }
  const anyStatus = versions.some(({ subresources }) => subresources?.status !== undefined)
  versions.forEach((version, index) => {
    if (schemaOf(version)) return
    errors.forgivable('versions with schemas', () => errors.required(allVersions.index(index).child('schema').child('openAPIV3Schema')))
  })
  versions.forEach((version, index) => {
    const problems = formats.dns1035Label(version.name)
    if (problems.length > 0) errors.invalid(allVersions.index(index).child('name'), version.name, problems.join(','))
    checkWarning(version, allVersions.index(index).child('deprecationWarning'), errors)
  })
  const names = new Set(versions.map(({ name }) => name))
  if (names.size < versions.length) errors.invalid(allVersions, asJson(versions), 'must contain unique version names')
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.invalid(allVersions, asJson(versions), 'must have exactly one version marked as storage version')
  }
  const common = schemaOfAll(versions)
  eachPart(versions, schemaOf, root.child('validation'), 'schema', (schema, path, version) => {
    const hasStatus = common ? anyStatus : version.subresources?.status !== undefined
    if (schema) checkVersionSchema(schema, hasStatus, path, errors, isUnchanged(version))
  })
  eachPart(
    versions,
    ({ subresources }) => subresources,
    root.child('subresources'),
    'subresources',
    (part, path) => {
      if (part) checkSubresources(part, path, errors)
    },
  )
  eachPart(
    versions,
    (version) => version.additionalPrinterColumns ?? [],
    columns.common,
    columns.own,
    (part, path) => {
      for (const [index, column] of part.entries()) checkColumn(column, path.index(index), errors)
    },
  )
  eachPart(
    versions,
    ({ selectableFields }) => selectableFields,
    root.child('selectableFields'),
    'selectableFields',
    (_, path, version) => checkSelectable(version, path, errors),
  )
}

const columns = { common: root.child('additionalPrinterColumns'), own: 'additionalPrinterColumns' }
const schemaOfAll = (versions: readonly Version[]) => new Set(versions.map((version) => printJson(schemaOf(version)))).size === 1

function checkRequiredNames(names: Names, errors: FieldErrors): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names[name]) errors.required(root.child('names').child(name))
  }
}

function checkNames(names: Names, path: FieldPath, errors: FieldErrors): void {
  const check = (value: string | undefined, at: FieldPath, mixedCase = false) => {
    if (!value) return
    const problems = formats.dns1035Label(mixedCase ? value.toLowerCase() : value)
    const start = mixedCase ? 'may have mixed case, but should otherwise match: ' : ''
    if (problems.length > 0) errors.invalid(at, value, `${start}${problems.join(',')}`)
  }
  check(names.plural, path.child('plural'))
  check(names.singular, path.child('singular'))
  check(names.kind, path.child('kind'), true)
  check(names.listKind, path.child('listKind'), true)
  names.shortNames?.forEach((name, index) => {
    check(name || ' ', path.child('shortNames').index(index))
  })
  if (names.kind && names.kind === names.listKind) {
    errors.invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same')
  }
  names.categories?.forEach((name, index) => {
    check(name || ' ', path.child('categories').index(index))
  })
}

/** Objects may lie in the store in any of these versions, so each of them stays until somebody has rewritten them. */
function checkStored(stored: readonly string[], versions: readonly Version[], errors: FieldErrors) {
  const path = FieldPath.of('status', 'storedVersions')
  if (stored.length === 0) return errors.invalid(path, null, 'must have at least one stored version')
  for (const { name, storage } of versions) {
    if (storage && !stored.includes(name)) errors.invalid(path, [...stored], `must have the storage version ${name}`)
  }
  stored.forEach((name, index) => {
    if (versions.some((version) => version.name === name)) return
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    errors.invalid(path.index(index), name, detail)
  })
}
