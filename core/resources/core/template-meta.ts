import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { givenEmpties } from '../../schema/json/given-empty.ts'
import { validateAnnotations, validateLabels } from '../../schema/object-meta.ts'

interface TemplateMeta {
  labels?: { [key: string]: string } | undefined
  annotations?: { [key: string]: string } | undefined
}

/** The reference's names of fields in errors, if different. */
const reportedAs: Readonly<Record<string, string>> = { uid: 'uID' }

/** Validates labels and annotations that are copied to other objects. */
export function validateTemplateMeta(metadata: TemplateMeta, path: FieldPath, errors: FieldErrors): void {
  validateAnnotations(metadata.annotations, path.child('annotations'), errors)
  validateLabels(metadata.labels, path.child('labels'), errors)
  for (const [name, value] of Object.entries({ ...metadata, ...givenEmpties(metadata) })) {
    if (name !== 'labels' && name !== 'annotations' && value !== undefined)
      errors.forbidden(path.child(reportedAs[name] ?? name), 'cannot be set')
  }
}
