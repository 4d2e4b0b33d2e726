import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Definition } from './definition-validation.ts'
import { validateStructural } from './structural-validation.ts'
import { schemaOf } from './version-validation.ts'

const root = FieldPath.of('spec')

/** Errors that keep a definition's schemas from being structural, one text each; older definitions may have some. */
export function structuralProblems({ spec }: Definition): string[] {
  const errors = new FieldErrors()
  if (spec.preserveUnknownFields) errors.invalid(root.child('preserveUnknownFields'), true, 'must be false')
  for (const [index, version] of spec.versions.entries()) {
    const schema = schemaOf(version)
    if (schema) validateStructural(schema, root.child('versions').index(index).child('schema').child('openAPIV3Schema'), errors)
  }
  return [...new Set(errors.list.map(({ field, message }) => `${field}: ${message}`))]
}
