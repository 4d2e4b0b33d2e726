/** Validation of file paths. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { checkFormat } from '../checks.ts'

/** Relative, without `..` segments. */
export const checkDescendingPath = (text: string, path: FieldPath, errors: FieldErrors) => checkFormat(text, 'localPath', path, errors)

/** As `checkDescendingPath`, and without leading `..`, which is reserved for files of the volume's writer. */
export function checkFilePath(text: string, path: FieldPath, errors: FieldErrors): void {
  checkDescendingPath(text, path, errors)
  if (text.startsWith('..') && !text.startsWith('../')) errors.invalid(path, text, "must not start with '..'")
}

export function checkMode(mode: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')
  }
}
