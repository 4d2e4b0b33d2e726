/** Validation of file paths. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { validateFormat } from '../validation.ts'

/** Relative, without `..` segments. */
export const validateDescendingPath = (text: string, path: FieldPath, errors: FieldErrors) =>
  validateFormat(text, 'localPath', path, errors)

/** As `validateDescendingPath`, and without leading `..`, which is reserved for files of the volume's writer. */
export function validateFilePath(text: string, path: FieldPath, errors: FieldErrors): void {
  validateDescendingPath(text, path, errors)
  if (text.startsWith('..') && !text.startsWith('../')) errors.invalid(path, text, "must not start with '..'")
}

export function validateMode(mode: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')
  }
}
