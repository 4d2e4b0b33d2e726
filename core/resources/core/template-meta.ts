import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { givenEmpties } from '../../schema/json/given-empty.ts'
import { validateAnnotations, validateLabels } from '../../schema/object-meta.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'

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
  const given: { readonly [name: string]: unknown } = { ...metadata, ...givenEmpties(metadata) }
  for (const name of ObjectMeta.json.keys()) {
    if (name !== 'labels' && name !== 'annotations' && given[name] !== undefined)
      errors.forbidden(path.child(reportedAs[name] ?? name), 'cannot be set')
  }
}
