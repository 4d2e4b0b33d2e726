import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectAtom } from '../../../core/apply/atom.ts'
import { compare } from '../../../core/apply/compare.ts'
import { difference, type FieldSet, intersection, union } from '../../../core/apply/field-set.ts'
import { decodeFields, encodeFields } from '../../../core/apply/fields-v1.ts'
import { merge } from '../../../core/apply/merge.ts'
import { withNamedFields } from '../../../core/apply/named-fields.ts'
import { reconcile } from '../../../core/apply/reconcile.ts'
import { removeItems } from '../../../core/apply/remove-items.ts'
import { toFieldSet } from '../../../core/apply/to-field-set.ts'
import { validateType } from '../../../core/apply/validate-type.ts'
import { equal } from '../../../core/schema/json/equal.ts'
import { field, type Json, type JsonObject, list, message } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'
import { filled, isEmpty, specAtom, specs } from './support.ts'

const fields = (value: Json) => encodeFields(toFieldSet(specAtom, value))

test('the fields of a value', () => {
  assert.deepEqual(fields({ replicas: 1, labels: { a: 'b' }, selector: { a: 'b' }, args: ['x'] }), {
    'f:args': {},
    'f:labels': { 'f:a': {} },
    'f:replicas': {},
    'f:selector': {},
  })
  assert.deepEqual(
    fields({
      ports: [
        { number: 1, name: 'a' },
        { number: 1, protocol: 'UDP' },
      ],
    }),
    {
      'f:ports': {
        'k:{"number":1,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:number': {} },
        'k:{"number":1,"protocol":"UDP"}': { '.': {}, 'f:number': {}, 'f:protocol': {} },
      },
    },
  )
  assert.deepEqual(fields({ tags: ['b', 'a', 'b'] }), { 'f:tags': { 'v:"a"': {}, 'v:"b"': {} } })
  assert.deepEqual(fields({ part: {}, whole: {}, labels: null, tags: [], raw: { a: { b: 1 } } }), {
    'f:labels': {},
    'f:part': {},
    'f:raw': {},
    'f:whole': {},
  })
  assert.deepEqual(fields({ merged: [{ x: 1, y: 'a' }] }), { 'f:merged': { 'k:{"y":"a"}': { '.': {}, 'f:x': {}, 'f:y': {} } } })
})

function compared(old: Json, updated: Json) {
  const { changed, removed } = compare(specAtom, old, updated)
  return { changed: encodeFields(changed), removed: encodeFields(removed) }
}

test('fields changed by a write', () => {
  assert.deepEqual(compared({ replicas: 1, text: 'a' }, { replicas: 2, labels: { a: 'b' } }), {
    changed: { 'f:labels': { '.': {}, 'f:a': {} }, 'f:replicas': {} },
    removed: { 'f:text': {} },
  })
  assert.deepEqual(compared({ labels: { a: '1', b: '1' } }, { labels: { a: '2', c: '1' } }), {
    changed: { 'f:labels': { 'f:a': {}, 'f:c': {} } },
    removed: { 'f:labels': { 'f:b': {} } },
  })
  assert.deepEqual(compared({ tags: ['a', 'b'] }, { tags: ['b', 'c'] }), {
    changed: { 'f:tags': { 'v:"c"': {} } },
    removed: { 'f:tags': { 'v:"a"': {} } },
  })
  assert.deepEqual(compared({ ports: [{ number: 1, name: 'a' }] }, { ports: [{ number: 1, name: 'b' }, { number: 2 }] }), {
    changed: {
      'f:ports': {
        'k:{"number":1,"protocol":"TCP"}': { 'f:name': {} },
        'k:{"number":2,"protocol":"TCP"}': { '.': {}, 'f:number': {} },
      },
    },
    removed: {},
  })
  assert.deepEqual(compared({ args: ['a'], whole: { x: 1 } }, { args: ['a', 'b'], whole: { x: 2 } }), {
    changed: { 'f:args': {}, 'f:whole': {} },
    removed: {},
  })
  assert.deepEqual(compared({ labels: {} }, { labels: { a: '1' } }).changed, { 'f:labels': { 'f:a': {} } })
  assert.deepEqual(compared({ part: {} }, { part: null }).changed, { 'f:part': {} })
})

test('duplicate items are compared as one', () => {
  assert.deepEqual(compared({ tags: ['a', 'a'] }, { tags: ['a', 'a', 'a'] }).changed, { 'f:tags': { 'v:"a"': {} } })
  assert.deepEqual(compared({ tags: ['a'] }, { tags: ['a', 'a'] }), {
    changed: { 'f:tags': { 'v:"a"': {} } },
    removed: { 'f:tags': { 'v:"a"': {} } },
  })
  assert.deepEqual(compared({ ports: [{ number: 1 }, { number: 1 }] }, { ports: [] }), {
    changed: {},
    removed: { 'f:ports': { 'k:{"number":1,"protocol":"TCP"}': {} } },
  })
})

/** The leaves of a value by path, computed without a schema. */
function leaves(value: JsonObject): Map<string, Json> {
  const found = new Map<string, Json>()
  for (const [name, each] of Object.entries(value)) {
    if (name === 'labels' || name === 'part') {
      for (const [key, member] of Object.entries(each as JsonObject)) found.set(`f:${name}/f:${key}`, member)
    } else if (name === 'tags') {
      for (const item of each as Json[]) found.set(`f:${name}/v:"${item}"`, item)
    } else if (name === 'ports') {
      for (const port of each as JsonObject[]) {
        const key = `k:{"number":${port['number']},"protocol":"${port['protocol'] ?? 'TCP'}"}`
        for (const [field, member] of Object.entries(port)) found.set(`f:${name}/${key}/f:${field}`, member)
      }
    } else found.set(`f:${name}`, each)
  }
  return found
}

function leafPaths(set: FieldSet, above = ''): string[] {
  return set
    .flatMap(({ element, children }) => (children.length === 0 ? [above + element] : leafPaths(children, `${above}${element}/`)))
    .sort()
}

test('the comparison agrees with a leaf by leaf comparison', () => {
  fc.assert(
    fc.property(filled, filled, (old, updated) => {
      const before = leaves(old)
      const after = leaves(updated)
      const { changed, removed } = compare(specAtom, old, updated)
      const fresh = [...after].flatMap(([path, value]) => (before.has(path) && equal(value, before.get(path)) ? [] : [path]))
      assert.deepEqual(leafPaths(changed), fresh.sort())
      assert.deepEqual(leafPaths(removed), [...before.keys()].filter((path) => !after.has(path)).sort())
      assert.deepEqual(leafPaths(toFieldSet(specAtom, old)), [...before.keys()].sort())
    }),
  )
})

test('the comparison in reverse names the same fields', () => {
  fc.assert(
    fc.property(specs, specs, (old, updated) => {
      const there = compare(specAtom, old, updated)
      const back = compare(specAtom, updated, old)
      assert.deepEqual(encodeFields(union(there.changed, there.removed)), encodeFields(union(back.changed, back.removed)))
      assert.deepEqual(intersection(there.changed, there.removed), [])
      assert.equal(there.changed.length + there.removed.length === 0, equal(old, updated))
    }),
  )
})

test('merging keeps the live order unless the applied order differs', () => {
  const tags = (live: string[], given: string[]) => (merge(specAtom, { tags: live }, { tags: given }) as JsonObject)['tags']
  assert.deepEqual(tags(['a', 'b', 'c'], ['b']), ['a', 'b', 'c'])
  assert.deepEqual(tags(['a', 'b'], ['c']), ['a', 'b', 'c'])
  assert.deepEqual(tags(['a', 'b', 'c'], ['c', 'a']), ['b', 'c', 'a'])
  assert.deepEqual(tags(['a', 'x', 'b'], ['b', 'n', 'a']), ['x', 'b', 'n', 'a'])
  assert.deepEqual(tags([], ['b', 'a']), ['b', 'a'])
})

test('merging takes leaves from the applied value', () => {
  assert.deepEqual(
    merge(
      specAtom,
      {
        replicas: 1,
        text: 'a',
        labels: { a: '1', b: '1' },
        args: ['x'],
        whole: { x: 1 },
        ports: [{ number: 1, name: 'a' }, { number: 2 }],
      },
      { replicas: 2, labels: { a: '2' }, args: ['y'], whole: { y: 'n' }, ports: [{ number: 1, protocol: 'TCP' }] },
    ),
    {
      replicas: 2,
      text: 'a',
      labels: { a: '2', b: '1' },
      args: ['y'],
      whole: { y: 'n' },
      ports: [{ number: 1, name: 'a', protocol: 'TCP' }, { number: 2 }],
    },
  )
})

/** An applied empty container merges into a live one that is not empty. */
const leafOf = (given: JsonObject, element: string) => (isEmpty(given[element.slice(2)] as Json) ? [] : [element])

test('merging is idempotent and contains all applied fields', () => {
  fc.assert(
    fc.property(specs, specs, (live, given) => {
      const once = merge(specAtom, live, given) as Json
      assert.deepEqual(merge(specAtom, once, given), once)
      validateType(specAtom, once, false)
      assert.deepEqual(
        difference(toFieldSet(specAtom, given), toFieldSet(specAtom, once)).flatMap(({ element }) => leafOf(given, element)),
        [],
      )
    }),
  )
})

test('removing all fields of a value leaves none of them', () => {
  fc.assert(
    fc.property(specs, (value) => {
      const rest = removeItems(specAtom, value, withNamedFields(specAtom, toFieldSet(specAtom, value)))
      assert.deepEqual(rest === null ? [] : toFieldSet(specAtom, rest), [])
    }),
  )
})

test('removing the fields of another value leaves the rest', () => {
  assert.deepEqual(
    removeItems(
      specAtom,
      { replicas: 1, labels: { a: '1', b: '1' }, tags: ['a', 'b'], ports: [{ number: 1, name: 'x' }, { number: 2 }] },
      decodeFields({
        'f:labels': { 'f:a': {} },
        'f:tags': { 'v:"a"': {} },
        'f:ports': { 'k:{"number":1,"protocol":"TCP"}': { 'f:name': {} }, 'k:{"number":2,"protocol":"TCP"}': {} },
      }),
    ),
    { replicas: 1, labels: { b: '1' }, tags: ['b'], ports: [{ number: 1 }] },
  )
})

test('custom resources: strings with a format accept any scalar, byte strings only strings', () => {
  const formatted = (format: string) => field(0, { type: 'string', facets: { format } }, '')
  const fields = {
    date: formatted('date'),
    bytes: formatted('byte'),
    dates: field(0, list({ type: 'string', facets: { format: 'date' } }), ''),
  }
  const custom = objectAtom(message('Custom', '', fields).with({ open: true }))
  validateType(custom, { date: 1, dates: [1, true], bytes: 'YQ==' }, false)
  assert.throws(() => validateType(custom, { bytes: 1 }, false), {
    message: '.bytes: expected string, got &value.valueUnstructured{Value:1}',
  })
  assert.throws(() => validateType(custom, { date: [] }, false), { message: '.date: expected any scalar, got &{[]}' })
  const builtIn = objectAtom(message('BuiltIn', '', fields))
  assert.throws(() => validateType(builtIn, { date: 1 }, false), /expected string/)
})

test('errors of typed values', () => {
  const faults = (value: Json) => {
    try {
      validateType(specAtom, value, false)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.equal(faults({ replicas: 1, tags: ['a'] }), '')
  assert.equal(faults({ nope: 1 }), '.nope: field not declared in schema')
  assert.equal(faults({ replicas: 'x' }), '.replicas: expected numeric (int or float), got string')
  assert.equal(faults({ text: 1 }), '.text: expected string, got &value.valueUnstructured{Value:1}')
  assert.equal(faults({ labels: ['a'] }), '.labels: expected map, got &{[a]}')
  assert.equal(faults({ tags: { a: 1 } }), '.tags: expected list, got &{map[a:1]}')
  assert.equal(faults({ tags: ['a', 'a'] }), '.tags: duplicate entries for key [="a"]')
  assert.equal(
    faults({ ports: [{ number: 1 }, { number: 1, protocol: 'TCP' }] }),
    '.ports: duplicate entries for key [number=1,protocol="TCP"]',
  )
  assert.equal(
    faults({ merged: [{ x: 1 }] }),
    '.merged: element 0: associative list with keys has an element that omits all key fields ["y"] (and doesn\'t have default values for any key fields)',
  )
  assert.equal(faults({ ports: [{ number: 1, nope: 1 }] }), '.ports[number=1,protocol="TCP"].nope: field not declared in schema')
  assert.equal(
    faults({ replicas: 'x', text: 1 }),
    'errors:\n  .replicas: expected numeric (int or float), got string\n  .text: expected string, got &value.valueUnstructured{Value:1}',
  )
})

test('when a schema makes a value atomic, ownership of its parts becomes ownership of the whole', () => {
  const reconciled = (trie: JsonObject) => encodeFields(reconcile(specAtom, decodeFields(trie)))
  assert.deepEqual(reconciled({ 'f:whole': { 'f:x': {} }, 'f:args': { 'v:"a"': {} }, 'f:replicas': {} }), {
    'f:args': {},
    'f:replicas': {},
    'f:whole': {},
  })
  assert.deepEqual(reconciled({ 'f:labels': { 'f:a': {} }, 'f:tags': { 'v:"a"': {} } }), {
    'f:labels': { 'f:a': {} },
    'f:tags': { 'v:"a"': {} },
  })
})
