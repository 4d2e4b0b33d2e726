import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ValidationRule as Rule, SchemaNode } from '../../../../core/resources/apiextensions/schema-nodes.ts'
import type { Json } from '../../../../core/schema/model.ts'
import { judge, objectOf, rowOf } from './support.ts'

const spec = (node: SchemaNode): SchemaNode => ({ type: 'object', properties: { spec: node } })
const rules = (...own: Rule[]) => ({ 'x-kubernetes-validations': own })

/** Errors and warnings for a spec with this schema; for an update if `old` is given. */
function verdict(node: SchemaNode, value: Json, old?: Json) {
  const row = rowOf(spec(node))
  return judge(row, objectOf(row, { spec: value }), old === undefined ? undefined : objectOf(row, { spec: old }))
}
const errorsOf = (node: SchemaNode, value: Json, old?: Json) => verdict(node, value, old).errors

const range: SchemaNode = {
  type: 'object',
  properties: { min: { type: 'integer' }, max: { type: 'integer' } },
  ...rules({ rule: 'self.min <= self.max', message: 'min is above max' }),
}

describe('validation rules of custom resources', () => {
  it('refuse invalid objects with message, reason and field', () => {
    assert.deepEqual(errorsOf(range, { min: 1, max: 2 }), [])
    assert.deepEqual(errorsOf(range, { min: 2, max: 1 }), ['spec: Invalid value: min is above max'])
    const text = (rule: Omit<Rule, 'rule'>): SchemaNode => ({ type: 'string', ...rules({ rule: "self == 'a'", ...rule }) })
    assert.deepEqual(errorsOf(text({}), 'b'), [`spec: Invalid value: "b": failed rule: self == 'a'`])
    assert.deepEqual(errorsOf(text({ reason: 'FieldValueForbidden', message: 'no' }), 'b'), ['spec: Forbidden: no'])
    assert.deepEqual(errorsOf(text({ reason: 'FieldValueRequired', message: 'no' }), 'b'), ['spec: Required value: no'])
    assert.deepEqual(errorsOf(text({ reason: 'FieldValueDuplicate', message: 'no' }), 'b'), ['spec: Duplicate value: "b"'])
    assert.deepEqual(errorsOf(text({ messageExpression: "'not ' + self" }), 'b'), ['spec: Invalid value: "b": not b'])
    assert.deepEqual(errorsOf(text({ messageExpression: "''", message: 'plain' }), 'b'), ['spec: Invalid value: "b": plain'])
    const named = { ...range, ...rules({ rule: 'self.min <= self.max', fieldPath: '.min' }) }
    assert.deepEqual(errorsOf(named, { min: 2, max: 1 }), ['spec.min: Invalid value: failed rule: self.min <= self.max'])
  })

  it('run for each item and entry, and for optional values that are present', () => {
    const item: SchemaNode = { type: 'integer', ...rules({ rule: 'self > 0' }) }
    const parts: SchemaNode = {
      type: 'object',
      properties: { list: { type: 'array', items: item }, map: { type: 'object', additionalProperties: item } },
    }
    assert.deepEqual(errorsOf(parts, { list: [1, 0], map: { a: 1, b: -1 } }), [
      'spec.list[1]: Invalid value: 0: failed rule: self > 0',
      'spec.map[b]: Invalid value: -1: failed rule: self > 0',
    ])
    assert.deepEqual(errorsOf(parts, {}), [])
  })

  it('see only name and generateName of metadata', () => {
    const whole = (rule: string) => rowOf({ ...spec({ type: 'object' }), ...rules({ rule }) })
    const named = whole("self.metadata.name == 'two'")
    assert.deepEqual(judge(named, objectOf(named, {})).errors, ["<nil>: Invalid value: failed rule: self.metadata.name == 'two'"])
    const labels = whole("'a' in self.metadata.labels")
    assert.match(judge(labels, objectOf(labels, {})).errors.join(), /rule compile error: compilation failed: .*undefined field 'labels'/s)
  })

  it('transition rules compare with the stored value, item by item in map lists', () => {
    const frozen = { ...rules({ rule: 'self == oldSelf', message: 'may not change' }) }
    const item: SchemaNode = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, value: { type: 'integer', ...frozen } },
    }
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }
    const list: SchemaNode = { type: 'array', items: item }
    const [a1, a2, b1] = [
      { name: 'a', value: 1 },
      { name: 'a', value: 2 },
      { name: 'b', value: 1 },
    ]
    assert.deepEqual(errorsOf({ ...list, ...keyed }, [b1, a2]), [])
    assert.deepEqual(errorsOf({ ...list, ...keyed }, [b1, a2], [a1]), ['spec[1].value: Invalid value: 2: may not change'])
    assert.deepEqual(errorsOf(list, [b1, a2], [a1]), [], 'items of other lists have no old value')
  })

  it('get an optional old value with optionalOldSelf', () => {
    const rule = { rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 0', optionalOldSelf: true }
    const counter: SchemaNode = { type: 'integer', ...rules(rule) }
    assert.deepEqual(errorsOf(counter, 0), [])
    assert.equal(errorsOf(counter, 1).length, 1)
    assert.deepEqual(errorsOf(counter, 2, 1), [])
    assert.equal(errorsOf(counter, 1, 2).length, 1)
  })

  it('only warn about values that an update leaves unchanged', () => {
    const bad = { min: 2, max: 1 }
    assert.deepEqual(verdict(range, bad, bad), { errors: [], warnings: ['spec: Invalid value: min is above max'] })
    assert.equal(errorsOf(range, { min: 3, max: 1 }, bad).length, 1)
  })

  it('do not run on objects that are structurally invalid', () => {
    assert.deepEqual(errorsOf({ ...range, required: ['min'] }, { max: 1 }), [
      'spec.min: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })

  it('stop at the cost limit of one rule or of all together', () => {
    const expensive = (count: number): SchemaNode => ({
      type: 'array',
      items: { type: 'integer' },
      ...rules(...Array.from({ length: count }, () => ({ rule: 'self.all(x, self.all(y, x + y >= 0))' }))),
    })
    const numbers = (length: number) => Array.from({ length }, () => 1)
    assert.match(
      errorsOf(expensive(1), numbers(1000)).join(),
      /no further validation rules will be run due to call cost exceeds limit for rule/,
    )
    const [spent, ...more] = errorsOf(expensive(30), numbers(300))
    assert.match(spent ?? '', /validation failed due to running out of cost budget, no further validation rules will be run/)
    assert.deepEqual(more, [])
  })

  it('report run-time errors', () => {
    const open: SchemaNode = { type: 'object', additionalProperties: { type: 'integer' }, ...rules({ rule: "self['a'] > 0" }) }
    assert.deepEqual(errorsOf(open, { b: 1 }), [`spec: Invalid value: "object": no such key: a evaluating rule: self['a'] > 0`])
  })

  it('apply to status updates too', () => {
    const row = rowOf(
      {
        type: 'object',
        properties: { spec: { type: 'object' }, status: { type: 'object', properties: { n: { type: 'integer' } } } },
        ...rules({ rule: '!has(self.status) || self.status.n > 0' }),
      },
      { subresources: { status: {} } },
    )
    const [none, zero, text] = [{}, { status: { n: 0 } }, { status: { n: 'x' } }].map((members) => objectOf(row, members))
    assert.equal(judge(row, zero!, none, true).errors.length, 1)
    assert.deepEqual(judge(row, text!, none, true).errors, [
      'status.n: Invalid value: "string": n in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })
})
