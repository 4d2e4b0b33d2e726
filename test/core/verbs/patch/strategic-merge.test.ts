import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../../core/answers/status.ts'
import {
  any,
  field,
  int32,
  type Json,
  type JsonObject,
  list,
  type Message,
  map,
  message,
  pointer,
  string,
} from '../../../../core/schema/model.ts'
import { applyStrategicMerge } from '../../../../core/verbs/patch/strategic-merge.ts'
import fc from '../../../support/fast-check.ts'
import { frozen } from '../../../support/frozen.ts'

const byName = { patchStrategy: 'merge', patchMergeKey: 'name' } as const
const Item: Message = message('Item', 'A part with every way of merging.', {
  name: field(1, string, ''),
  value: field(2, string, ''),
  other: field(3, string, ''),
  items: field(4, () => list(Item), '', byName),
  whole: field(5, () => list(Item), ''),
  numbers: field(6, list(int32), '', { patchStrategy: 'merge' }),
  wholeNumbers: field(7, list(int32), ''),
  child: pointer(8, () => Item, ''),
  replaced: pointer(9, () => Item, '', { patchStrategy: 'replace' }),
  strategy: field(10, () => Item, '', { patchStrategy: 'retainKeys' }),
  labels: field(11, map(string), ''),
  raw: field(12, any, ''),
  volumes: field(13, () => list(Item), '', { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' }),
})

const apply = (document: JsonObject, patch: Json) => applyStrategicMerge(Item, frozen(document), patch)
const n = (...names: string[]) => names.map((name) => ({ name }))

test('merges', () => {
  const rows: [what: string, document: JsonObject, patch: JsonObject, expected: JsonObject][] = [
    ['scalars', { name: 'a', value: 'b' }, { value: 'c', other: 'd' }, { name: 'a', value: 'c', other: 'd' }],
    ['null deletes', { name: 'a', value: 'b' }, { value: null, other: null }, { name: 'a' }],
    ['objects', { child: { name: 'a', value: 'b' } }, { child: { value: 'c' } }, { child: { name: 'a', value: 'c' } }],
    ['maps', { labels: { a: '1', b: '2' } }, { labels: { b: null, c: '3' } }, { labels: { a: '1', c: '3' } }],
    ['nulls are removed from new values', {}, { child: { name: 'a', value: null } }, { child: { name: 'a' } }],
    ['a value of another type is replaced', { raw: 'x' }, { raw: { a: 1, b: null } }, { raw: { a: 1 } }],
    ['patch strategy replace', { replaced: { name: 'a', value: 'b' } }, { replaced: { value: 'c' } }, { replaced: { value: 'c' } }],
    ['$patch replace', { child: { name: 'a', value: 'b' } }, { child: { value: 'c', $patch: 'replace' } }, { child: { value: 'c' } }],
    ['$patch delete', { name: 'x', child: { name: 'a' } }, { child: { $patch: 'delete' } }, { name: 'x', child: {} }],
    ['$patch replace of all', { name: 'a', value: 'b' }, { $patch: 'replace', other: 'c' }, { other: 'c' }],
    [
      'lists without strategy are replaced',
      { whole: n('a', 'b'), wholeNumbers: [1] },
      { whole: n('c'), wholeNumbers: [2] },
      { whole: n('c'), wholeNumbers: [2] },
    ],
    ['lists of scalars are merged', { numbers: [1, 2] }, { numbers: [2, 3] }, { numbers: [1, 2, 3] }],
    [
      'items merge by key',
      { items: [{ name: 'a', value: '1' }] },
      { items: [{ name: 'a', other: '2' }] },
      { items: [{ name: 'a', value: '1', other: '2' }] },
    ],
    ['new items come first', { items: n('a') }, { items: n('b') }, { items: n('b', 'a') }],
    ['named items take the order of the patch', { items: n('a', 'b', 'c', 'd') }, { items: n('d', 'b') }, { items: n('a', 'c', 'd', 'b') }],
    ['items are deleted', { items: n('a', 'b', 'a') }, { items: [{ name: 'a', $patch: 'delete' }] }, { items: n('b') }],
    ['a list is replaced', { items: n('a', 'b') }, { items: [{ $patch: 'replace' }, { name: 'c' }] }, { items: n('c') }],
    [
      'an order beside a replaced list orders what it has',
      { items: n('a', 'b') },
      { items: [{ $patch: 'replace' }, ...n('c', 'd')], '$setElementOrder/items': n('c', 'd') },
      { items: n('c', 'd') },
    ],
    [
      'an order of a list that nothing is left of',
      { items: n('a', 'b') },
      { items: [{ $patch: 'replace' }], '$setElementOrder/items': n('x') },
      { items: [] },
    ],
    ['nothing to delete', { numbers: [1, 2] }, { '$deleteFromPrimitiveList/numbers': [] }, { numbers: [1, 2] }],
    ['nothing to delete, and items', { numbers: [1, 2] }, { numbers: [3], '$deleteFromPrimitiveList/numbers': [] }, { numbers: [3, 1, 2] }],
    ['directives are removed from new lists', {}, { items: [{ name: 'a' }, { name: 'b', $patch: 'delete' }] }, { items: n('a') }],
    [
      'nested lists merge by key',
      { items: [{ name: 'a', items: n('x') }] },
      { items: [{ name: 'a', items: n('y') }] },
      { items: [{ name: 'a', items: n('y', 'x') }] },
    ],
    ['$deleteFromPrimitiveList', { numbers: [1, 2, 3] }, { '$deleteFromPrimitiveList/numbers': [2, 5] }, { numbers: [1, 3] }],
    ['a list without merge strategy', { wholeNumbers: [1, 2] }, { '$deleteFromPrimitiveList/wholeNumbers': [2] }, { wholeNumbers: [1] }],
    ['items deleted from a missing list', { name: 'a' }, { '$deleteFromPrimitiveList/numbers': [2] }, { name: 'a' }],
    ['order of scalars', { numbers: [1, 2, 3] }, { numbers: [4], '$setElementOrder/numbers': [3, 4, 1, 2] }, { numbers: [3, 4, 1, 2] }],
    [
      'order of items',
      { items: n('a', 'b', 'c') },
      { items: n('d'), '$setElementOrder/items': n('c', 'd', 'a') },
      { items: n('b', 'c', 'd', 'a') },
    ],
    ['order without items', { items: n('a', 'b') }, { '$setElementOrder/items': n('b', 'a') }, { items: n('b', 'a') }],
    ['order of a new list', {}, { items: n('b', 'a'), '$setElementOrder/items': n('b', 'a') }, { items: n('b', 'a') }],
    ['order of a missing list', { name: 'a' }, { '$setElementOrder/items': n('b') }, { name: 'a' }],
    [
      'retained keys',
      { strategy: { name: 'a', value: 'b' } },
      { strategy: { name: 'c', $retainKeys: ['name'] } },
      { strategy: { name: 'c' } },
    ],
    [
      'retained keys in a list',
      { volumes: [{ name: 'a', value: 'x' }] },
      { volumes: [{ name: 'a', other: 'y', $retainKeys: ['name', 'other'] }] },
      { volumes: [{ name: 'a', other: 'y' }] },
    ],
  ]
  for (const [what, document, patch, expected] of rows) {
    const before = structuredClone(patch)
    assert.deepEqual(apply(document, patch), expected, what)
    assert.deepEqual(patch, before, `${what}: the patch was changed`)
  }
})

test('refuses malformed patches', () => {
  const rows: [code: number, document: JsonObject, patch: Json, message: string | RegExp][] = [
    [400, {}, [], /cannot unmarshal array/],
    [500, { child: {} }, { child: { $patch: 'bad' } }, 'unknown patch type: bad in map: map[$patch:bad]'],
    [500, { items: n('a') }, { items: [{ value: 'x' }] }, 'map: map[value:x] does not contain declared merge key: name'],
    [500, { items: n('a') }, { items: [{ $patch: 'delete' }] }, 'map: map[$patch:delete] does not contain declared merge key: name'],
    [500, { items: n('a') }, { items: [{ name: 'a', $patch: 'merge' }] }, 'merging lists cannot yet be specified in the patch'],
    [500, { items: n('a') }, { items: ['a'] }, 'list element types are not identical: [[map[name:a]] [a]]'],
    [500, { numbers: [1] }, { numbers: ['1'] }, /list element types are not identical/],
    [422, { numbers: [1] }, { numbers: [[1]] }, /error in our request/],
    [400, { strategy: { name: 'a' } }, { strategy: { value: 'x', $retainKeys: ['name'] } }, 'invalid patch format of retainKeys'],
    [400, { strategy: {} }, { strategy: { $retainKeys: 'name' } }, 'invalid patch format of retainKeys'],
    [500, {}, { '$setElementOrder/items': 'x' }, 'expected a []interface {}, but received a string'],
    [500, { items: n('a') }, { '$setElementOrder/items': ['x'] }, 'value for key 0 is not a map'],
    [500, { child: {} }, { child: { $patch: null } }, 'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]'],
    [400, {}, { $setElementOrder: [] }, 'invalid patch format of setElementOrder list'],
    [400, { numbers: [1] }, { $deleteFromPrimitiveList: [] }, 'invalid patch format of primitive list'],
    [500, { items: n('a') }, { items: n('b', 'c'), '$setElementOrder/items': n('c', 'b') }, /The order in patch list/],
    [
      500,
      { items: n('a') },
      { items: [{ $patch: 'replace' }, ...n('c', 'd')], '$setElementOrder/items': n('d', 'c') },
      "The order in patch list:\n[map[$patch:replace] map[name:c] map[name:d]]\n doesn't match $setElementOrder list:\n[map[name:d] map[name:c]]\n",
    ],
    [
      500,
      { items: n('a') },
      { items: [...n('c', 'd'), { $patch: 'replace' }], '$setElementOrder/items': n('c', 'd') },
      "The order in patch list:\n[map[name:c] map[name:d] map[$patch:replace]]\n doesn't match $setElementOrder list:\n[map[name:c] map[name:d]]\n",
    ],
    [500, { unknown: {} }, { unknown: {} }, 'unable to find api field in struct Item for the json field "unknown"'],
    [500, { labels: { a: {} } }, { labels: { a: {} } }, 'merging an object in json but data type is not struct, instead is: map'],
  ]
  for (const [code, document, patch, expected] of rows)
    assert.throws(
      () => apply(document, patch),
      (error) => {
        assert.ok(error instanceof ApiError, String(error))
        assert.equal(error.status.code, code, error.message)
        if (typeof expected === 'string') assert.equal(error.message, expected)
        else assert.match(error.message, expected)
        return true
      },
      JSON.stringify(patch),
    )
})

test('merging large lists takes linear time', () => {
  const many = (prefix: string) => Array.from({ length: 50_000 }, (_, index) => ({ name: `${prefix}${index}` }))
  const patch = { items: many('b'), '$setElementOrder/items': [...many('a'), ...many('b')] }
  assert.equal((apply({ items: many('a') }, patch)['items'] as Json[]).length, 100_000)
})

test('random patches give an object or an ApiError, and never change prototypes', () => {
  const key = fc.constantFrom(
    'name',
    'items',
    'whole',
    'numbers',
    'child',
    'strategy',
    'labels',
    '__proto__',
    '$patch',
    '$retainKeys',
    '$setElementOrder/items',
    '$deleteFromPrimitiveList/numbers',
  )
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('a', 'b', 'delete', 'replace', 'merge', 1, 2, null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const object = fc.dictionary(key, value, { maxKeys: 5 })
  fc.assert(
    fc.property(object, object, (document, patch) => {
      const plain = JSON.stringify(patch)
      try {
        const result = applyStrategicMerge(Item, frozen(JSON.parse(JSON.stringify(document)) as JsonObject), JSON.parse(plain) as Json)
        JSON.stringify(result)
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error))
      }
      assert.deepEqual(Object.keys(Object.prototype), [])
    }),
    { numRuns: 3000 },
  )
})

test('an order without elements to order, and one of objects without merge key, are errors of the server as on the reference', () => {
  const messageOf = (document: JsonObject, patch: Json) => {
    try {
      return JSON.stringify(apply(document, patch))
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.equal(messageOf({}, { numbers: [], '$setElementOrder/numbers': [] }), 'no elements in any of the given slices')
  assert.equal(
    messageOf({ whole: n('a') }, { '$setElementOrder/whole': [], whole: [] }),
    'map: map[name:a] does not contain declared merge key: ',
  )
  assert.equal(messageOf({ items: n('a') }, { '$setElementOrder/items': null }), 'expected a []interface {}, but received a %!s(<nil>)')
  assert.equal(messageOf({ items: [] }, { items: ['x'] }), 'expected a map[string]interface {}, but received a string')
})
