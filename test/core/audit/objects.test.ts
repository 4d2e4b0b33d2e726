import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchObject, withoutManagedFields } from '../../../core/audit/objects.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (value: Uint8Array) => new TextDecoder().decode(value)
const managedFields = [{ manager: 'a', fieldsV1: { 'f:data': { 'f:"}': {} } } }]
const without = (value: unknown) => text(withoutManagedFields(bytes(JSON.stringify(value))))

test('managed fields are removed wherever they are in metadata', () => {
  for (const metadata of [
    { managedFields, name: 'a' },
    { name: 'a', managedFields },
    { name: 'a', managedFields, uid: 'u' },
  ]) {
    const { managedFields: _fields, ...rest } = metadata
    assert.equal(
      without({ kind: 'A', metadata, data: { managedFields: [1] } }),
      JSON.stringify({ kind: 'A', metadata: rest, data: { managedFields: [1] } }),
    )
  }
  assert.equal(without({ metadata: { managedFields } }), '{"metadata":{}}')
})

test('of items of lists and of objects in rows of tables', () => {
  const item = (more: object) => ({ metadata: { name: 'a', ...more }, spec: { metadata: { managedFields } } })
  assert.equal(
    without({ metadata: {}, items: [item({ managedFields }), item({})] }),
    JSON.stringify({ metadata: {}, items: [item({}), item({})] }),
  )
  const row = (more: object) => ({ cells: ['a'], object: { metadata: { name: 'a', ...more } } })
  assert.equal(without({ kind: 'Table', rows: [row({ managedFields })] }), JSON.stringify({ kind: 'Table', rows: [row({})] }))
})

test('what has none stays as it is', () => {
  for (const value of [{ kind: 'Status', metadata: {} }, { metadata: null, items: null }, []])
    assert.equal(without(value), JSON.stringify(value))
})

test('a patch has no white space between tokens, and is safe in HTML', () => {
  assert.equal(
    text(patchObject(bytes('[ {"a b": "<x> & \\" y",\n"c" : [1, 2]} ]\n'))),
    String.raw`[{"a b":"\u003cx\u003e \u0026 \" y","c":[1,2]}]`,
  )
  assert.equal(text(patchObject(bytes('{"a":1}'))), '{"a":1}')
})

test('a patch that is not JSON becomes a string', () => {
  assert.equal(text(patchObject(bytes('a: <b>\n'))), String.raw`"a: \u003cb\u003e\n"`)
})
