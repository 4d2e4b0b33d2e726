import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getPath, setPath } from '../../../core/schema/accessors.ts'
import { FieldErrors } from '../../../core/schema/field-error.ts'
import { FieldPath } from '../../../core/schema/field-path.ts'
import { quote } from '../../../core/schema/go/quote.ts'

describe('FieldErrors', () => {
  it('messages match kube-apiserver', () => {
    const errors = new FieldErrors()
    const path = FieldPath.of('spec', 'a').index(0).child('b').key('k')
    errors.required(path)
    errors.required(path, 'why')
    errors.invalid(path, 'x\n', 'no')
    errors.invalid(path, { a: '<&>' }, 'no')
    errors.invalid(path, null, '')
    errors.typeInvalid(path, 'string', 'must be')
    errors.notSupported(path, 'c', ['a', 'b'])
    errors.notSupported(path, 'c', [])
    errors.duplicate(path, 1)
    errors.notFound(path, 'x')
    errors.forbidden(path, 'no')
    errors.tooLong(path, 1)
    errors.tooShort(path, 2)
    errors.tooMany(path, 3, 2)
    errors.tooMany(path, undefined, 1)
    errors.tooFew(path, 0, 1)
    errors.internal(path, 'oops')
    assert.equal(errors.list[0]?.field, 'spec.a[0].b[k]')
    assert.deepEqual(
      errors.list.map(({ message }) => message),
      [
        'Required value',
        'Required value: why',
        'Invalid value: "x\\n": no',
        'Invalid value: {"a":"\\u003c\\u0026\\u003e"}: no',
        'Invalid value: null',
        'Invalid value: "string": must be',
        'Unsupported value: "c": supported values: "a", "b"',
        'Unsupported value: "c"',
        'Duplicate value: 1',
        'Not found: "x"',
        'Forbidden: no',
        'Too long: may not be more than 1 byte',
        'Too short: must be at least 2 characters',
        'Too many: 3: must have at most 2 items',
        'Too many: must have at most 1 item',
        'Too few: 0: must have at least 1 item',
        'Internal error: oops',
      ],
    )
  })

  it('quotes like Go', () => {
    assert.equal(quote('a"\\\u0000\u0007\u000b\u001f\u007f\\u0001é'), '"a\\"\\\\\\x00\\a\\v\\x1f\\x7f\\\\u0001é"')
  })
})

describe('field paths', () => {
  it('are parsed and printed', () => {
    const object = { spec: { replicas: 1 } }
    assert.equal(getPath(object, '.spec.replicas'), 1)
    assert.equal(getPath(object, '.spec.constructor.name'), undefined)
    setPath(object, '.status.count.now', 2)
    assert.deepEqual(object, { spec: { replicas: 1 }, status: { count: { now: 2 } } })
  })
})

describe('bounds', () => {
  const path = FieldPath.of('spec')

  it('keeps the first errors and counts the others', () => {
    const errors = new FieldErrors()
    for (let index = 0; index < 1_000; index++) errors.invalid(path.index(index), index, 'is wrong')
    assert.equal(errors.count, 1_000)
    assert.equal(errors.list.length, 101)
    assert.deepEqual(errors.list.at(-1), {
      reason: 'FieldValueTooMany',
      field: '<nil>',
      message: 'Too many: only the first errors are shown',
    })
    assert.ok(errors.closed)
    // Errors that were not kept can't be dropped.
    errors.drop(() => true)
    assert.equal(errors.list.length, 1)
  })

  it('stops validation when no more errors are kept', () => {
    const errors = new FieldErrors()
    const seen: number[] = []
    const check = () => {
      for (let index = 0; index < 1_000; index++) {
        seen.push(index)
        errors.forgivable('rule', () => errors.required(path))
        errors.required(path)
      }
    }
    errors.untilClosed(check)
    assert.ok(errors.closed)
    assert.equal(seen.length, 51)
    // Dropped errors leave room for others.
    errors.drop(() => true)
    errors.untilClosed(() => errors.untilClosed(check))
    assert.equal(seen.length, 102)
    const failure = new Error('of the check')
    assert.throws(
      () =>
        errors.untilClosed(() => {
          throw failure
        }),
      failure,
    )
    errors.required(path)
  })

  it('quotes only the start of long values, details and keys', () => {
    const errors = new FieldErrors()
    const long = 'x'.repeat(1_000_000)
    for (let index = 0; index < 50; index++) errors.invalid(path.key(long), [{ [long]: long }, long], long)
    errors.notSupported(path, long, [long, long])
    assert.ok(JSON.stringify(errors.list).length < 150_000)
    assert.ok(errors.list.length > 2)
  })

  it('keeps one error of each rule that ratcheting may drop', () => {
    const errors = new FieldErrors()
    const add = (rule: string) => errors.forgivable(rule, () => errors.required(path))
    for (let index = 0; index < 500; index++) add('many')
    assert.ok(errors.omits('many'))
    assert.ok(!errors.omits('late'))
    add('late')
    assert.ok(errors.omits('late'))
    assert.ok(!errors.closed)
    assert.ok(new FieldErrors((rule) => rule === 'waived').omits('waived'))
    assert.ok(!new FieldErrors().omits('many'))
    const before = new FieldErrors()
    before.forgivable('many', () => before.required(path))
    errors.forgive(before)
    assert.deepEqual(
      errors.list.map(({ forgivable }) => forgivable),
      ['late'],
    )
  })
})
