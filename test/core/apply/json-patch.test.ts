import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { applyJsonPatch } from '../../../core/apply/json-patch.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'
import { frozen } from '../../support/frozen.ts'

/** Of a document that can't be changed. */
const apply = (document: JsonObject, operations: Json) => applyJsonPatch(frozen(document), operations)
const code = (expected: number) => (error: unknown) => error instanceof ApiError && error.status.code === expected

test('operations', () => {
  const rows: [document: JsonObject, operations: Json, expected: Json][] = [
    [{ a: 1 }, [], { a: 1 }],
    [{}, [{ op: 'add', path: '/a', value: { b: 1 } }], { a: { b: 1 } }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-1', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    [{ a: 1 }, [{ op: 'remove', path: '/a' }], {}],
    [{ 'x/y~z': 1 }, [{ op: 'replace', path: '/x~1y~0z', value: 2 }], { 'x/y~z': 2 }],
    [{}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    [{ a: [1, 2] }, [{ op: 'replace', path: '/a/0', value: 5 }], { a: [5, 2] }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    [{ a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/a/c' }], { a: { b: 1, c: { b: 1 } } }],
    [{ a: { b: [1, { c: 2 }] } }, [{ op: 'test', path: '/a', value: { b: [1, { c: 2 }] } }], { a: { b: [1, { c: 2 }] } }],
    [{ a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
    [{}, [{ op: 'test', path: '/a', value: null }], {}],
    [{ '': 1 }, [{ op: 'add', path: '/', value: 2 }], { '': 2 }],
    [{ '~1': 1 }, [{ op: 'remove', path: '/~01' }], {}],
  ]
  for (const [document, operations, expected] of rows) {
    const before = structuredClone(operations)
    assert.deepEqual(apply(document, operations), expected, JSON.stringify(operations))
    assert.deepEqual(operations, before)
  }
})

test('the result shares with the document what no operation reaches', () => {
  const document = frozen<JsonObject>({ a: { b: [{ c: 1 }, { d: 2 }], e: {} }, f: [] })
  const [a, b] = [document['a'] as JsonObject, (document['a'] as JsonObject)['b'] as Json[]]
  const result = applyJsonPatch(document, [
    { op: 'replace', path: '/a/b/0/c', value: 3 },
    { op: 'add', path: '/a/b/0/g', value: {} },
  ]) as JsonObject
  assert.deepEqual(result, { a: { b: [{ c: 3, g: {} }, { d: 2 }], e: {} }, f: [] })
  const changed = result['a'] as JsonObject
  assert.deepEqual([changed === a, changed['b'] === b, changed['e'] === a['e'], result['f'] === document['f']], [false, false, true, true])
  assert.equal((changed['b'] as Json[])[1], b[1])
})

test('the result shares no values with the patch', () => {
  const operations = [{ op: 'add', path: '/a', value: { b: {} } }]
  const result = apply({}, operations) as { a: { b: { c?: number } } }
  result.a.b.c = 1
  assert.deepEqual(operations, [{ op: 'add', path: '/a', value: { b: {} } }])
})

test('a patch that does not apply is 422', () => {
  const document = { a: [1], b: { c: 1 }, s: 'x' }
  const rows: Json[] = [
    { op: 'test', path: '/b/c', value: 2 },
    { op: 'test', path: '/b', value: null },
    { op: 'test', path: '/x', value: 1 },
    { op: 'remove', path: '/x' },
    { op: 'remove', path: '/a/1' },
    { op: 'remove', path: '' },
    { op: 'remove', path: '/a/-' },
    { op: 'add', path: '/x/y', value: 1 },
    { op: 'add', path: '/s/y', value: 1 },
    { op: 'add', path: '/a/3', value: 1 },
    { op: 'add', path: '/a/x', value: 1 },
    { op: 'add', path: 'a', value: 1 },
    { op: 'replace', path: '/a/1', value: 1 },
    { op: 'replace', path: '', value: 1 },
    { op: 'move', from: '/b', path: '/b/c' },
    { op: 'move', path: '/b' },
    { op: 'copy', from: '/a/7', path: '/b' },
    { op: 'add', value: 1 },
    { op: 'merge', path: '/a' },
    { path: '/a' },
    null,
  ]
  for (const operation of rows)
    assert.throws(
      () => apply(document, [operation]),
      (error) => {
        assert.ok(error instanceof ApiError)
        assert.deepEqual([error.status.code, error.status.reason], [422, 'Invalid'])
        assert.equal(error.message, 'the server rejected our request due to an error in our request')
        return true
      },
      JSON.stringify(operation),
    )
})

test('a malformed patch is 400, a patch with too many operations 413', () => {
  for (const patch of [{}, 'x', 1, true, [1], [[]], [{ op: 1 }], [{ op: 'add', path: 1 }], [{ op: 'move', from: {} }]])
    assert.throws(() => apply({}, patch as Json), code(400), JSON.stringify(patch))
  const many = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: null }))
  assert.deepEqual(apply({}, many(10_000)), {})
  assert.throws(
    () => apply({}, many(10_001)),
    (error) => code(413)(error) && /The allowed maximum operations in a JSON patch is 10000, got 10001/.test((error as Error).message),
  )
})

test('copies are bounded in size and depth', () => {
  const double = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
  assert.throws(() => apply({ a: [1] }, double), code(422))
  let path = '/a'
  const nest: JsonObject[] = []
  for (let index = 0; index < 30; index++) {
    nest.push({ op: 'copy', from: '/a', path: `${path}/x` })
    path += '/x'.repeat(2 ** Math.min(index, 12))
  }
  assert.throws(() => apply({ a: {} }, nest), code(422))
})

test('prototypes are never changed', () => {
  const result = apply({}, [
    { op: 'add', path: '/__proto__', value: { x: 1 } },
    { op: 'add', path: '/__proto__/polluted', value: true },
  ])
  assert.deepEqual(Object.keys(result as object), ['__proto__'])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  assert.throws(() => apply({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: true }]), code(422))
})

test('random patches give a result or an ApiError', () => {
  const pointer = fc
    .array(fc.constantFrom('a', 'b', '0', '1', '-', '-1', '__proto__', ''))
    .map((tokens) => tokens.map((token) => `/${token}`).join(''))
  const operation = fc.record(
    {
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path: pointer,
      from: pointer,
      value: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ['op', 'path'] },
  )
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      try {
        JSON.stringify(apply({ a: [{ b: 1 }, 2], b: { a: {} } }, operations as Json))
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})
