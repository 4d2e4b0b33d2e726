import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { bindFieldSelector, exactField, fieldSelectorText, parseFieldSelector } from '../../../core/request/field-selector.ts'
import type { ApiObject } from '../../../core/resources/definition.ts'
import fc from '../../support/fast-check.ts'

const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'n' },
  spec: { nodeName: 'x' },
  status: {},
} as unknown as ApiObject
const own = {
  selectable: { 'spec.nodeName': '.spec.nodeName', 'status.phase': '.status.phase', up: () => 'true' },
  namespaced: true,
  group: '',
  version: 'v1',
} as const
const plain = { namespaced: true, group: '', version: 'v1' } as const

test('parses terms, with escapes in values', () => {
  assert.deepEqual(parseFieldSelector(''), [])
  assert.deepEqual(parseFieldSelector('b!=2,,a==1,c='), [
    { field: 'a', operator: '=', value: '1' },
    { field: 'b', operator: '!=', value: '2' },
    { field: 'c', operator: '=', value: '' },
  ])
  assert.deepEqual(parseFieldSelector('a=x\\,y\\=z\\\\'), [{ field: 'a', operator: '=', value: 'x,y=z\\' }])
})

test('printing round trip', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const requirements = [{ field: 'a', operator: '=', value }] as const
      assert.deepEqual(parseFieldSelector(fieldSelectorText(requirements)), requirements)
    }),
  )
})

test('error messages match kube-apiserver', () => {
  const rows: [text: string, message: string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ]
  for (const [text, message] of rows)
    assert.throws(
      () => parseFieldSelector(text),
      (error) => error instanceof ApiError && error.status.code === 400 && error.message === message,
    )
})

test('selects objects', () => {
  const rows: [text: string, definition: typeof own | typeof plain, matches: boolean][] = [
    ['metadata.name=a', plain, true],
    ['metadata.name=a,metadata.namespace!=n', plain, false],
    ['spec.nodeName=x,status.phase!=Running', own, true],
    ['status.phase=', own, true],
    ['up=true,metadata.namespace=n', own, true],
  ]
  for (const [text, definition, matches] of rows)
    assert.equal(
      bindFieldSelector(parseFieldSelector(text), definition)((_field, read) => read(pod)),
      matches,
      text,
    )
  assert.equal(exactField(parseFieldSelector('metadata.name=a'), 'metadata.name'), 'a')
  assert.equal(exactField(parseFieldSelector('metadata.name!=a'), 'metadata.name'), undefined)
})

test('unknown fields are refused', () => {
  const message = (field: string, definition: Parameters<typeof bindFieldSelector>[1]) => {
    try {
      bindFieldSelector(parseFieldSelector(`${field}=1`), definition)
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  assert.equal(message('x', plain), '"x" is not a known field selector: only "metadata.name", "metadata.namespace"')
  assert.equal(message('x', own), 'field label not supported: x')
  const custom = { ...plain, selectable: {} }
  assert.equal(message('x', custom), 'field label not supported: x')
  assert.equal(message('metadata.namespace', { ...custom, namespaced: false }), 'field label not supported: metadata.namespace')
  assert.equal(message('constructor', own), 'field label not supported: constructor')
  assert.equal(message('metadata.namespace', { ...own, namespaced: false }), 'field label not supported: metadata.namespace')
  assert.equal(message('metadata.namespace', { ...plain, namespaced: false }), '')
  const worded = { ...own, unselectable: (label: string, apiVersion: string) => `no ${label} in ${apiVersion}` }
  assert.equal(message('x', worded), 'no x in v1')
})

test('a term of only an operator selects everything', () => {
  for (const text of ['=', '==', '!=', '=,!=']) assert.deepEqual(parseFieldSelector(text), [])
  assert.deepEqual(parseFieldSelector('=a'), [{ field: '', operator: '=', value: 'a' }])
})
