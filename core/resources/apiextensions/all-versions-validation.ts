/** Validates all versions of a definition together. A part that is equal in all versions is validated and reported once. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { equal } from '../../schema/json/equal.ts'
import { given } from '../../schema/json/given-empty.ts'
import { printJson } from '../../schema/json/text.ts'
import type { InPart } from '../in-parts.ts'
import { asJson } from '../validation.ts'
import type { Definition } from './definition-validation.ts'
import { mayBeNonStructural, validateLegacyDefaults } from './legacy-validation.ts'
import {
  schemaOf,
  validateColumn,
  validateSelectable,
  validateSubresources,
  validateVersionSchema,
  validateWarning,
} from './version-validation.ts'

type Spec = Definition['spec']
type Version = Spec['versions'][number]

const root = FieldPath.of('spec')
const allVersions = root.child('versions')

/** Error paths of parts shared by all versions. */
const shared = {
  schema: root.child('validation'),
  subresources: root.child('subresources'),
  additionalPrinterColumns: root.child('additionalPrinterColumns'),
  selectableFields: root.child('selectableFields'),
} as const

/** Puts the errors of parts that all versions share behind those of names, as in the reference. */
export function sharedLast(errors: FieldErrors): void {
  for (const path of Object.values(shared)) errors.moveLast(path)
}

const isSame = <T>(versions: readonly Version[], part: (version: Version) => T) =>
  versions.every((each) => equal(asJson(part(each)), asJson(part(versions[0] as Version))))

type ValidatePart<T> = (part: T, path: FieldPath, version: Version) => void

function eachPart<T>(
  versions: readonly Version[],
  name: keyof typeof shared,
  part: (version: Version) => T,
  inPart: InPart,
  validatePart: ValidatePart<T>,
): void {
  const [first] = versions
  if (first && inPart(() => isSame(versions, part))) validatePart(part(first), shared[name], first)
  else for (const [index, version] of versions.entries()) validatePart(part(version), allVersions.index(index).child(name), version)
}

/** Versions must have schemas; if stored ones have none, new schemas require that fields are pruned. */
function validateSchemasGiven(
  versions: readonly Version[],
  { preserveUnknownFields }: Spec,
  old: Spec | undefined,
  errors: FieldErrors,
): void {
  const isStrict = !old?.versions.some((each) => !schemaOf(each))
  versions.forEach((version, index) => {
    if (schemaOf(version)) return
    const path = allVersions.index(index).child('schema').child('openAPIV3Schema')
    if (isStrict) errors.required(path)
    else if (!preserveUnknownFields && version.served) errors.required(path, 'because otherwise all fields are pruned')
  })
}

/** Tests whether a version's schema is unchanged; a new version may have the schema that all others had. */
function unchangedSince(old: readonly Version[]): (version: Version) => boolean {
  const byName = new Map(old.toReversed().map((version) => [version.name, version]))
  const ofAll = isSame(old, schemaOf) ? old[0] : undefined
  return (version) => {
    const before = byName.get(version.name) ?? ofAll
    return before !== undefined && equal(asJson(schemaOf(version)), asJson(schemaOf(before)))
  }
}

/** The versions as errors show them: parts that are the same in all versions are shown as one part of the definition. */
function ownParts(versions: readonly Version[]): readonly Version[] {
  const same = Object.keys(shared).filter((name) => isSame(versions, (version) => version[name as keyof Version]))
  return versions.map(
    (version) => Object.fromEntries(Object.entries(version).filter(([name]) => !same.includes(name))) as unknown as Version,
  )
}

function validateNames(versions: readonly Version[], shown: readonly Version[] | null, errors: FieldErrors): void {
  const problems: string[] = []
  if (new Set(versions.map(({ name }) => name)).size < versions.length) problems.push('must contain unique version names')
  if (versions.filter(({ storage }) => storage).length !== 1) problems.push('must have exactly one version marked as storage version')
  if (problems.length > 0) {
    const all = asJson(shown && ownParts(shown))
    for (const problem of problems) errors.invalid(allVersions, all, problem)
  }
  // The reference still validates the first version's name by the rules of the former single version.
  const ofFirst = versions[0]?.name ? formats.dns1035Label(versions[0].name) : []
  if (ofFirst.length > 0) errors.invalid(root.child('version'), versions[0]?.name, ofFirst.join(','))
}

/** Adds the errors of all versions. */
export function validateVersions(spec: Spec, old: Spec | undefined, errors: FieldErrors, inPart: InPart): void {
  // Required, so that absent is null.
  const versions = spec.versions ?? []
  const anyStatus = versions.some(({ subresources }) => subresources?.status !== undefined)
  validateSchemasGiven(versions, spec, old, errors)
  validateLegacyDefaults(spec, root.child('preserveUnknownFields'), errors)
  versions.forEach((version, index) => {
    const problems = formats.dns1035Label(version.name)
    if (problems.length > 0) errors.invalid(allVersions.index(index).child('name'), version.name, problems.join(','))
    validateWarning(version, allVersions.index(index).child('deprecationWarning'), errors)
  })
  validateNames(versions, given(spec, 'versions') ?? null, errors)
  const legacy = old !== undefined && mayBeNonStructural(spec, old)
  const common = inPart(() => new Set(versions.map((version) => printJson(schemaOf(version)))).size === 1)
  const isUnchanged = inPart(() => unchangedSince(old?.versions ?? []))
  eachPart(versions, 'schema', schemaOf, inPart, (schema, path, version) => {
    const hasStatus = common ? anyStatus : version.subresources?.status !== undefined
    const unchanged = inPart(() => isUnchanged(version))
    if (schema) validateVersionSchema(schema, path, errors, { hasStatus, unchanged, legacy, inPart })
  })
  eachPart(
    versions,
    'subresources',
    ({ subresources }) => subresources,
    inPart,
    (part, path) => {
      if (part) validateSubresources(part, path, errors)
    },
  )
  eachPart(
    versions,
    'additionalPrinterColumns',
    (version) => version.additionalPrinterColumns ?? [],
    inPart,
    (part, path) => {
      for (const [index, column] of part.entries()) validateColumn(column, path.index(index), errors)
    },
  )
  eachPart(
    versions,
    'selectableFields',
    (version) => version.selectableFields ?? [],
    inPart,
    (part, path, version) => {
      // The reference reports shared selectable fields only if the schema is shared, too.
      if (part.length > 0 && path === shared.selectableFields && (!common || version.schema === undefined)) {
        errors.invalid(path, '', 'may only be set when validations.schema is included')
      } else validateSelectable(version, path, errors)
    },
  )
}
