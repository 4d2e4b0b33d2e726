import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldErrors } from '../../../core/schema/field-error.ts'
import { FieldPath } from '../../../core/schema/field-path.ts'

const path = FieldPath.of('spec')

function errorsOf(values: readonly number[]): FieldErrors {
  const errors = new FieldErrors()
  for (const [index, value] of values.entries()) {
    errors.forgivable('small', () => {
      if (value > 10) errors.invalid(path.index(index), value, 'is not small')
    })
    if (value < 0) errors.invalid(path.index(index), value, 'is negative')
  }
  return errors
}

const messages = ({ list }: FieldErrors) => list.map(({ field, message }) => `${field}: ${message}`)

test('ratcheting: an update may keep breaking a rule that the stored object breaks', () => {
  const errors = errorsOf([11, -1, 12])
  errors.forgive(errorsOf([99]))
  assert.deepEqual(messages(errors), ['spec[1]: Invalid value: -1: is negative'])
})

test('an update may not start to break a rule, and other rules are not ratcheted', () => {
  const errors = errorsOf([11, -1])
  errors.forgive(errorsOf([-1, 3]))
  assert.deepEqual(messages(errors), ['spec[0]: Invalid value: 11: is not small', 'spec[1]: Invalid value: -1: is negative'])
})

test('nested rules are ratcheted separately', () => {
  const errors = new FieldErrors()
  errors.forgivable('outer', () => {
    errors.forgivable('inner', () => errors.required(path.child('a')))
    errors.required(path.child('b'))
  })
  errors.required(path.child('c'))
  assert.deepEqual(
    errors.list.map(({ forgivable }) => forgivable),
    ['inner', 'outer', undefined],
  )
})

test('prints unset pointers as text and unset lists as null; hides some values', () => {
  const errors = new FieldErrors()
  errors.invalid(path, undefined, 'x')
  errors.invalid(path, null, 'x')
  errors.invalidUnshown(path, 'x')
  assert.deepEqual(messages(errors), ['spec: Invalid value: null: x', 'spec: Invalid value: null: x', 'spec: Invalid value: x'])
})
