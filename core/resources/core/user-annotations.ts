import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { validateAnnotationsSize } from '../../schema/object-meta.ts'

/** Annotations of a pod certificate for its signer: keys have a domain, whatever their case (ValidateUserAnnotations of the reference). */
export function validateUserAnnotations(annotations: { readonly [key: string]: string } = {}, path: FieldPath, errors: FieldErrors): void {
  for (const key of Object.keys(annotations).map((each) => each.toLowerCase())) {
    if (key === '') errors.required(path)
    else for (const problem of formats.domainPrefixedKey(key)) errors.invalid(path, key, problem)
  }
  validateAnnotationsSize(annotations, path, errors)
}
