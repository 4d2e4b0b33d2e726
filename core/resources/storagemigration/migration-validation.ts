/** Validation of storage version migrations (KEP-4192). */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { asJson } from '../validation.ts'
import type { StorageVersionMigration } from './storageversionmigration.ts'

type Migration = Infer<typeof StorageVersionMigration>

export function validateMigration({ spec }: Migration, errors: FieldErrors): void {
  const { group = '', resource = '' } = spec?.resource ?? {}
  const path = FieldPath.of('spec', 'resource')
  if (resource === '') errors.required(path.child('resource'), 'resource is required to be set')
  else report(resource, formats.dns1035Label(resource), path.child('resource'), errors)
  if (group !== '') report(group, formats.dns1123Subdomain(group), path.child('group'), errors)
}

function report(value: string, problems: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (problems.length > 0) errors.invalid(path, value, problems.join(','))
}

const holds = ({ status }: Migration, type: string) =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true

/** A migration ends exactly once, succeeded or failed, and is not running afterwards. */
export function validateMigrationStatus(migration: Migration, old: Migration, errors: FieldErrors): void {
  const { resourceVersion = '', conditions } = migration.status ?? {}
  const path = FieldPath.of('status')
  const version = path.child('resourceVersion')
  if (resourceVersion !== '' && !/^[1-9]\d*$/.test(resourceVersion)) {
    errors.invalid(version, resourceVersion, `resource version is not well formed: ${resourceVersion}`)
  }
  validateConditions(conditions, path.child('conditions'), errors)
  if (old.status?.resourceVersion && old.status.resourceVersion !== resourceVersion) {
    errors.invalid(version, resourceVersion, 'field is immutable')
  }
  const refuse = (detail: string) => errors.invalid(path.child('conditions'), asJson(conditions), detail)
  const [succeeded, failed, running] = [holds(migration, 'Succeeded'), holds(migration, 'Failed'), holds(migration, 'Running')]
  if (succeeded && failed) refuse('Both success and failed conditions cannot be true at the same time')
  if (succeeded && running) refuse('Running condition cannot be true when success condition is true')
  if (failed && running) refuse('Running condition cannot be true when failed condition is true')
  if (holds(old, 'Succeeded') && !succeeded) refuse('Success condition cannot be set to false once it is true')
  if (holds(old, 'Failed') && !failed) refuse('Failed condition cannot be set to false once it is true')
}
