import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareElements, fieldElement, keyElement, shown, sortByElement, valueElement } from '../../../core/apply/element.ts'
import {
  difference,
  eachPath,
  type FieldSet,
  fieldSet,
  has,
  intersection,
  recursiveDifference,
  sameFields,
  union,
} from '../../../core/apply/field-set.ts'
import { decodeFields, encodeFields } from '../../../core/apply/fields-v1.ts'
import type { Json } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'

const elements = fc.oneof(
  fc.constantFrom('f:a', 'f:b', 'f:c d', 'f:é', 'i:0', 'i:10', 'i:2'),
  fc.constantFrom<Json>('x', 'x y', 'x!', '"', '<b>', 1, 10, 2.5, true).map(valueElement),
  fc.record({ name: fc.constantFrom('n', 'n m'), port: fc.constantFrom(1, 80, 8080) }).map((key) => keyElement(Object.entries(key))),
)
const paths = fc.array(fc.array(elements, { minLength: 1, maxLength: 3 }), { maxLength: 12 })

/** The set of all these paths. */
function setOf(all: readonly (readonly string[])[]): FieldSet {
  return all.reduce<FieldSet>(
    (set, path) =>
      union(
        set,
        path.reduceRight<FieldSet>((below, element, at) => [{ element, member: at === path.length - 1, children: below }], []),
      ),
    [],
  )
}

function listed(set: FieldSet): string[] {
  const found: string[] = []
  eachPath(set, (path) => found.push(path.join(' / ')))
  return found.sort()
}

const texts = (all: readonly (readonly string[])[]) => [...new Set(all.map((path) => path.join(' / ')))].sort()

test('set operations agree with sets of paths', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [setOf(left), setOf(right)]
      const inRight = new Set(texts(right))
      assert.deepEqual(listed(a), texts(left))
      assert.deepEqual(listed(union(a, b)), texts([...left, ...right]))
      assert.deepEqual(
        listed(intersection(a, b)),
        texts(left).filter((path) => inRight.has(path)),
      )
      assert.deepEqual(
        listed(difference(a, b)),
        texts(left).filter((path) => !inRight.has(path)),
      )
      const below = (path: string) => [...inRight].some((other) => path === other || path.startsWith(`${other} / `))
      assert.deepEqual(
        listed(recursiveDifference(a, b)),
        texts(left).filter((path) => !below(path)),
      )
      for (const path of right) assert.ok(has(b, path))
      // What an operation leaves as it is stays the same set, by which later steps of a write know it.
      const both = union(a, b)
      assert.equal(union(a, both), both)
      if (a.length > 0) assert.equal(intersection(a, both), a)
      assert.equal(difference(a, difference(b, a)), a)
      assert.ok(sameFields(union(a, b), union(b, a)))
    }),
  )
})

test('FieldsV1 round trip, whatever the order of keys', () => {
  fc.assert(
    fc.property(paths, (all) => {
      const set = setOf(all)
      const trie = encodeFields(set)
      assert.ok(sameFields(decodeFields(trie), set))
      const backwards = (value: Json): Json =>
        Object.fromEntries(
          Object.entries(value as object)
            .reverse()
            .map(([key, below]) => [key, backwards(below)]),
        )
      assert.equal(JSON.stringify(encodeFields(decodeFields(backwards(trie)))), JSON.stringify(trie))
    }),
  )
})

test('the order of path elements', () => {
  const ordered = [
    'f:a',
    'f:b',
    'k:{"containerPort":80,"protocol":"TCP"}',
    'k:{"containerPort":80,"protocol":"UDP"}',
    'k:{"containerPort":443,"protocol":"TCP"}',
    'k:{"name":"a b"}',
    'k:{"name":"a"}',
    'v:2',
    'v:10',
    'v:"a"',
    'v:"b"',
    'v:false',
    'i:2',
    'i:10',
  ]
  // `a` is less than `a b`, although its JSON text, which includes the quote, is not.
  ordered.splice(5, 2, 'k:{"name":"a"}', 'k:{"name":"a b"}')
  assert.deepEqual([...ordered].reverse().sort(compareElements), ordered)
})

test('many elements have the same order, whether parsed or compared as texts', () => {
  const texts = [
    'x1',
    'x10',
    'x2',
    'x-1',
    'a.b',
    'a/b',
    'X',
    '',
    'a b',
    'a"b',
    'a!',
    'é',
    ...Array.from({ length: 40 }, (_, at) => `n${at}`),
  ]
  const elements = {
    names: texts.map(fieldElement),
    values: texts.map(valueElement),
    plain: texts.filter((text) => /^[\w./-]*$/.test(text)).map((text) => keyElement([['name', text]])),
    keys: texts.map((text) => keyElement([['name', text]])),
    several: texts.map((text, at) =>
      keyElement([
        ['port', (at * 7) % 20],
        ['protocol', text],
      ]),
    ),
    numbers: texts.map((_, at) => valueElement((at * 7919) % 101)),
  }
  const all = { ...elements, mixed: Object.values(elements).flat() }
  for (const [name, given] of Object.entries(all)) {
    const shuffled = given.map((_, at) => given[(at * 7) % given.length] as string)
    const sorted = sortByElement(shuffled.map((element) => ({ element }))).map(({ element }) => element)
    assert.deepEqual(sorted, [...shuffled].sort(compareElements), name)
  }
})

test('path elements in messages', () => {
  assert.equal(shown('f:spec'), '.spec')
  assert.equal(shown('k:{"containerPort":80,"protocol":"TCP"}'), '[containerPort=80,protocol="TCP"]')
  assert.equal(shown('v:"a"'), '[="a"]')
  assert.equal(shown('v:1'), '[=1]')
  assert.equal(shown('i:3'), '[3]')
})

test('field sets are written in canonical form', () => {
  const set = union(fieldSet(['spec'], ['spec', 'b'], ['spec', 'a']), decodeFields({ 'f:spec': { 'k:{"b":1,"a":"<"}': {} } }))
  assert.equal(JSON.stringify(encodeFields(set)), '{"f:spec":{".":{},"f:a":{},"f:b":{},"k:{\\"a\\":\\"\\\\u003c\\",\\"b\\":1}":{}}}')
})

test('unknown types of elements are dropped, malformed ones refused', () => {
  assert.deepEqual(encodeFields(decodeFields({ 'f:a': {}, 'z:b': { 'f:c': {} } })), { 'f:a': {} })
  assert.deepEqual(encodeFields(decodeFields({ 'f:a': { 'z:b': {} } })), { 'f:a': {} })
  for (const bad of [{ a: {} }, { spec: {} }, { 'f:a': 1 }, { 'k:[': {} }, { 'k:[]': {} }, { 'i:x': {} }, []])
    assert.throws(() => decodeFields(bad as Json), JSON.stringify(bad))
})
