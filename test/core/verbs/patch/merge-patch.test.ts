import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../../core/answers/status.ts'
import type { Json, JsonObject } from '../../../../core/schema/model.ts'
import { applyMergePatch } from '../../../../core/verbs/patch/merge-patch.ts'
import fc from '../../../support/fast-check.ts'
import { frozen } from '../../../support/frozen.ts'

test('merges (RFC 7386 appendix A, for objects)', () => {
  const rows: [document: JsonObject, patch: JsonObject, expected: JsonObject][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{}, { a: [null, { b: null }] }, { a: [null, {}] }],
  ]
  for (const [document, patch, expected] of rows) {
    const before = structuredClone(patch)
    assert.deepEqual(applyMergePatch(frozen(document), patch), expected, JSON.stringify(patch))
    assert.deepEqual(patch, before)
  }
})

test('the result shares with the document what the patch does not reach', () => {
  const document = frozen({ a: { b: { c: 1 }, d: {} }, e: [{}] })
  const result = applyMergePatch(document, { a: { b: { c: 2 } } }) as typeof document
  assert.deepEqual(result, { a: { b: { c: 2 }, d: {} }, e: [{}] })
  assert.deepEqual([result.a === document.a, result.a.d === document.a.d, result.e === document.e], [false, true, true])
})

test('a patch that is not an object is a bad request', () => {
  for (const patch of [null, [], 'x', 1])
    assert.throws(
      () => applyMergePatch({}, patch),
      (error) => error instanceof ApiError && error.status.code === 400,
    )
})

test('the result shares no values with the patch, and applying it again changes nothing more, but nulls in what took the place of an object', () => {
  const withoutProto = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(withoutProto, withoutProto, (document, patch) => {
      const before = JSON.stringify(patch)
      const once = applyMergePatch(frozen(JSON.parse(JSON.stringify(document)) as JsonObject), patch as Json)
      const text = JSON.stringify(once)
      const twice = JSON.stringify(applyMergePatch(once, patch as Json))
      if (!text.includes('null')) assert.equal(twice, text)
      assert.equal(JSON.stringify(applyMergePatch(JSON.parse(twice) as JsonObject, patch as Json)), twice)
      assert.equal(JSON.stringify(patch), before)
      assert.equal(Object.getPrototypeOf(once), Object.prototype)
    }),
  )
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('what takes the place of an object keeps its nulls, as in the reference', () => {
  const list = [{ a: null, b: 1 }, null]
  assert.deepEqual(applyMergePatch({ doc: { x: 1 } }, { doc: list }), { doc: list })
  assert.deepEqual(applyMergePatch({ doc: [1] }, { doc: list }), { doc: [{ b: 1 }, null] })
  assert.deepEqual(applyMergePatch({}, { doc: list }), { doc: [{ b: 1 }, null] })
})
