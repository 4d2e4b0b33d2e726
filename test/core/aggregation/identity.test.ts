import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidUserHeader, identityFields } from '../../../core/aggregation/identity.ts'
import { headerText } from '../../../core/request/header-values.ts'

test('a user is named in header fields, one for each value, as bytes of UTF-8', () => {
  const extra = { 'example.com/Größe %': ['a, b', ''], plain: ['x'] }
  const fields = identityFields({ name: 'ålice', uid: '7', groups: ['ops, team', 'größe'], extra }, true)
  assert.deepEqual(
    fields.map(([name, value]) => [name, headerText(value)]),
    [
      ['X-Remote-User', 'ålice'],
      ['X-Remote-Uid', '7'],
      ['X-Remote-Group', 'ops, team'],
      ['X-Remote-Group', 'größe'],
      ['X-Remote-Extra-example.com%2FGr%C3%B6%C3%9Fe%20%25', 'a, b'],
      ['X-Remote-Extra-example.com%2FGr%C3%B6%C3%9Fe%20%25', ''],
      ['X-Remote-Extra-plain', 'x'],
    ],
  )
  assert.deepEqual(identityFields({ name: 'a', uid: '7', groups: [] }, false), [['X-Remote-User', 'a']])
  for (const [, value] of fields) assert.match(value, /^[\t -~\x80-\xff]*$/)
})

test('a user that headers would name otherwise is refused', () => {
  for (const text of [' admin', 'admin ', '\tadmin', 'a\nX-Remote-Group: system:masters', 'a\r', 'a\0', 'a\x7f', 'a\x01']) {
    for (const user of [
      { name: text, groups: [] },
      { name: 'a', groups: [text] },
      { name: 'a', uid: text, groups: [] },
      { name: 'a', groups: [], extra: { k: [text] } },
    ]) {
      assert.throws(() => identityFields(user, true), InvalidUserHeader, JSON.stringify(user))
    }
  }
  assert.deepEqual(identityFields({ name: 'a', groups: [], extra: { ' \n:': ['b'] } }, true).at(-1), ['X-Remote-Extra-%20%0A%3A', 'b'])
})
