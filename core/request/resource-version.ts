import { badRequest, unreasoned } from '../answers/status.ts'
import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import { parseRevision } from '../schema/formats/revision-text.ts'

function errorsOf(text: string, fault: string): FieldErrors {
  const errors = new FieldErrors()
  errors.invalid(FieldPath.of('resourceVersion'), text, fault)
  return errors
}

/**
 * The revision of a get's or a watch's resourceVersion; 0 for none. Throws 500 without a reason, because the reference's watch cache returns
 * an error that is not a Status.
 */
export function parseVersion(text: string): number {
  const parsed = parseRevision(text)
  if (typeof parsed === 'number') return parsed
  throw unreasoned(`resourceVersion: ${errorsOf(text, parsed).list[0]?.message}`)
}

/** The revision of a list's resourceVersion, or of a get's without a watch cache; 0 for none. Throws BadRequest. */
export function parseListVersion(text: string): number {
  const parsed = parseRevision(text)
  if (typeof parsed === 'number') return parsed
  throw badRequest(`invalid resource version: resourceVersion: ${errorsOf(text, parsed).list[0]?.message}`)
}
