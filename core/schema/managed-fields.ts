/** Validates field managers and `metadata.managedFields` (apimachinery meta/v1/validation). */
import { utf8Length } from './bytes.ts'
import type { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import type { Json } from './model.ts'

interface Entry {
  readonly manager?: string
  readonly operation?: string
  readonly fieldsType?: string
  readonly subresource?: string
}

const managerLimit = 128
const subresourceLimit = 256
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
/** Usual field manager names, which need no further validation. */
const plain = /^[\w./:() -]*$/

/** Validates a field manager: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, path: FieldPath, errors: FieldErrors): void {
  if (plain.test(manager) && manager.length <= managerLimit) return
  if (utf8Length(manager) > managerLimit) errors.tooLong(path, managerLimit)
  let position = 0
  for (const character of manager) {
    if (unprintable.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      errors.invalid(path, manager, `invalid character U+${code} (at position ${position})`)
    }
    position += utf8Length(character)
  }
}

/** Validates managedFields entries. */
export function validateManagedFields(entries: readonly Json[], path: FieldPath, errors: FieldErrors): void {
  entries.forEach((given, index) => {
    const { manager = '', operation = '', fieldsType = '', subresource = '' } = given as Entry
    const at = path.index(index)
    if (operation === '') errors.required(at.child('operation'), 'must not be empty')
    else if (operation !== 'Apply' && operation !== 'Update') errors.notSupported(at.child('operation'), operation, ['Apply', 'Update'])
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') errors.invalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`')
    validateFieldManager(manager, at.child('manager'), errors)
    if (utf8Length(subresource) > subresourceLimit) errors.tooLong(at.child('subresource'), subresourceLimit)
  })
}
