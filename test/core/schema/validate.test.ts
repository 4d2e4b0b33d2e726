import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FieldErrors } from '../../../core/schema/field-error.ts'
import { FieldPath } from '../../../core/schema/field-path.ts'
import { field, inline, int32, type Json, list, type Message, map, message, pointer, required, string } from '../../../core/schema/model.ts'
import { validate, validateImmutable } from '../../../core/schema/validate.ts'
import { hookContext } from '../../support/hook-context.ts'

const context = hookContext()

function errorsOf(schema: Message, value: Json): string[] {
  const errors = new FieldErrors()
  validate(schema, value, FieldPath.root, errors, context)
  return errors.list.map((error) => `${error.field}: ${error.message}`)
}

const Part: Message = message('Part', '', {
  name: required(1, string, '', { notEmpty: true, format: 'dns1123Label' }),
  weight: field(2, int32, '', { min: 1, max: 100 }),
  parts: field(3, () => list(Part), ''),
}).with({ validate: (value, path, errors) => void ((value as { name?: string }).name === 'bad' && errors.forbidden(path, 'no bad parts')) })
const Spec = message('Spec', '', {
  replicas: pointer(1, int32, '', { min: 0 }),
  policy: field(2, string, '', { enum: ['Never', 'Always'] }),
  open: field(3, string, '', { openEnum: ['A'] }),
  text: field(4, string, '', { maxLength: 3, minLength: 2 }),
  pattern: field(5, string, '', { pattern: '^(a+)+$' }),
  parts: field(6, list(Part), '', { minItems: 1, maxItems: 2, notEmpty: true }),
  byKey: field(7, map(Part), ''),
  $inlined: inline(0, message('Inlined', '', { low: field(1, int32, '', { max: 5, exclusiveMax: true }) })),
})
const Root = message('Root', '', { spec: field(1, Spec, '') })

describe('validate', () => {
  it('accepts valid objects', () => {
    assert.deepEqual(
      errorsOf(Root, { spec: { replicas: 0, policy: 'Never', open: 'B', text: 'ab', pattern: 'aa', parts: [{ name: 'a', weight: 1 }] } }),
      [],
    )
  })

  it('error messages match kube-apiserver', () => {
    assert.deepEqual(
      errorsOf(Root, {
        spec: {
          replicas: -1,
          policy: 'Sometimes',
          text: 'äää',
          pattern: `${'a'.repeat(40)}b`,
          parts: [{ name: '' }, { name: 'bad', weight: 0, parts: [{ name: 'A' }] }, { name: 'c' }],
          byKey: { k: {} },
          low: 5,
        },
      }),
      [
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        'spec.policy: Unsupported value: "Sometimes": supported values: "Always", "Never"',
        'spec.text: Too long: may not be more than 3 bytes',
        `spec.pattern: Invalid value: "${'a'.repeat(40)}b": must match the regular expression '^(a+)+$'`,
        'spec.parts: Too many: 3: must have at most 2 items',
        'spec.parts[0].name: Required value',
        `spec.parts[1].weight: Invalid value: 0: must be between 1 and 100, inclusive`,
        `spec.parts[1].parts[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
        'spec.parts[1]: Forbidden: no bad parts',
        'spec.byKey[k].name: Required value',
        'spec.low: Invalid value: 5: must be less than 5',
      ],
    )
    assert.deepEqual(errorsOf(Root, { spec: { parts: [] } }), ['spec.parts: Required value'])
    assert.deepEqual(errorsOf(Root, { spec: { text: 'a', parts: [{ name: 'a' }] } }), [
      'spec.text: Too short: must be at least 2 characters',
    ])
  })
})

describe('validateImmutable', () => {
  const Item = message('Item', '', { name: required(1, string, ''), fixed: field(2, string, '', { immutable: true }) })
  const Holder = message('Holder', '', {
    selector: pointer(1, map(string), '', { immutable: true }),
    items: field(2, list(Item, { listType: 'map', keys: ['name'] }), ''),
    free: field(3, string, ''),
  })
  const errors = (value: { [key: string]: Json }, old: { [key: string]: Json }) => {
    const found = new FieldErrors()
    validateImmutable(Holder, value, old, FieldPath.of('spec'), found)
    return found.list.map((error) => `${error.field}: ${error.message}`)
  }

  it('finds fields that were set, changed or removed', () => {
    assert.deepEqual(errors({ selector: { a: '1' }, free: 'x' }, { selector: { a: '1' } }), [])
    assert.deepEqual(errors({ selector: { a: '2' } }, { selector: { a: '1' } }), [
      'spec.selector: Invalid value: {"a":"2"}: field is immutable',
    ])
    assert.deepEqual(errors({}, { selector: { a: '1' } }), ['spec.selector: Invalid value: null: field is immutable'])
    assert.deepEqual(
      errors(
        {
          items: [
            { name: 'b', fixed: '1' },
            { name: 'a', fixed: '2' },
          ],
        },
        { items: [{ name: 'a', fixed: '1' }] },
      ),
      ['spec.items[1].fixed: Invalid value: "2": field is immutable'],
    )
  })
})
