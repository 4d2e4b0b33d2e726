import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { objectAtom } from '../../../core/apply/atom.ts'
import { updateManaged } from '../../../core/apply/ownership.ts'
import { ObjectMeta } from '../../../core/resources/meta/objectmeta.ts'
import { field, type Json, type JsonObject, map, message, string } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'
import { applied, applyWhole, atom, filled, owners, specs, start, thing, updated, writing } from './support.ts'

const specOf = (object: JsonObject) => object['spec'] as JsonObject
const metadataOf = (object: JsonObject) => object['metadata'] as JsonObject
const entries = (object: JsonObject) => (metadataOf(object)['managedFields'] ?? []) as JsonObject[]

function refusal(attempt: () => unknown): ApiError['status'] {
  try {
    attempt()
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
  throw new Error('was not refused')
}

test('a create by apply', () => {
  const live = applied(writing('a'), undefined, { replicas: 1, labels: { x: '1' } })
  assert.deepEqual(entries(live), [
    {
      manager: 'a',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2026-01-02T03:04:05Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:labels': { 'f:x': {} }, 'f:replicas': {} } },
    },
  ])
})

test('a plain create', () => {
  const live = updated(writing('c'), undefined, thing({ replicas: 1, labels: { x: '1' } }, { labels: { a: 'b' }, generateName: 'w-' }))
  assert.deepEqual(owners(live), {
    'c Update': {
      'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:a': {} } },
      'f:spec': { 'f:labels': { '.': {}, 'f:x': {} }, 'f:replicas': {} },
    },
  })
})

test('conflicts name the manager, its operation and the fields', () => {
  const live = updated(writing('c'), undefined, thing({ replicas: 1, text: 'a', labels: { x: '1' } }))
  assert.deepEqual(
    refusal(() => applied(writing('a'), live, { replicas: 2 })),
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Apply failed with 1 conflict: conflict with "c" using v1: .spec.replicas',
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "c" using v1', field: '.spec.replicas' }] },
      code: 409,
    },
  )
  const both = applied(writing('b'), live, { replicas: 1, tags: ['t'] })
  const status = refusal(() => applied(writing('a'), both, { replicas: 2, text: 'b', labels: { x: '2' } }))
  assert.equal(
    status.message,
    'Apply failed with 4 conflicts: conflicts with "b":\n- .spec.replicas\nconflicts with "c" using v1:\n- .spec.replicas\n- .spec.text\n- .spec.labels.x',
  )
})

test('conflicts with a subresource', () => {
  const live = updated(writing('c'), undefined, thing({ text: 'a' }))
  const scaled = updated(writing('h', { subresource: 'scale' }), live, { ...live, spec: { text: 'a', replicas: 3 } })
  assert.equal(
    refusal(() => applied(writing('a'), scaled, { replicas: 2 })).message,
    'Apply failed with 1 conflict: conflict with "h" with subresource "scale" using v1: .spec.replicas',
  )
})

test('applying the same value shares ownership; force takes it over', () => {
  const live = updated(writing('c'), undefined, thing({ replicas: 1, text: 'a' }))
  const shared = applied(writing('a'), live, { replicas: 1 })
  assert.deepEqual(owners(shared), {
    'a Apply': { 'f:spec': { 'f:replicas': {} } },
    'c Update': { 'f:spec': { 'f:replicas': {}, 'f:text': {} } },
  })
  const taken = applied(writing('a'), shared, { replicas: 2 }, true)
  assert.deepEqual(owners(taken), { 'a Apply': { 'f:spec': { 'f:replicas': {} } }, 'c Update': { 'f:spec': { 'f:text': {} } } })
  assert.equal(specOf(taken)['replicas'], 2)
})

test('fields no longer applied are removed, unless another manager owns them', () => {
  const first = applied(writing('a'), undefined, {
    replicas: 1,
    labels: { x: '1', y: '1' },
    ports: [{ number: 1 }, { number: 2 }],
    tags: ['t'],
  })
  const second = applied(writing('b'), first, { labels: { y: '1' }, ports: [{ number: 2 }] })
  const third = applied(writing('a'), second, { labels: { z: '1' } })
  assert.deepEqual(specOf(third), { labels: { y: '1', z: '1' }, ports: [{ number: 2 }] })
  assert.deepEqual(owners(third), {
    'a Apply': { 'f:spec': { 'f:labels': { 'f:z': {} } } },
    'b Apply': { 'f:spec': { 'f:labels': { 'f:y': {} }, 'f:ports': { 'k:{"number":2,"protocol":"TCP"}': { '.': {}, 'f:number': {} } } } },
  })
})

test('a list item stays while any manager owns it', () => {
  const first = applied(writing('a'), undefined, { ports: [{ number: 1, name: 'n' }] })
  const second = applied(writing('b'), first, { ports: [{ number: 1 }] })
  assert.deepEqual(specOf(applied(writing('a'), second, {})), { ports: [{ number: 1 }] })
  const other = updated(writing('c'), first, { ...first, spec: { ports: [{ number: 1, name: 'm' }] } })
  const rest = applied(writing('a'), other, {})
  assert.deepEqual(
    [rest['spec'], owners(rest)],
    [undefined, { 'a Apply': { 'f:spec': {} } }],
    'only the first manager owned the item itself; an empty list keeps nothing above it',
  )
})

test('an update owns the fields that it changes, and those it owned before', () => {
  const first = applied(writing('a'), undefined, { replicas: 1, text: 'a' })
  const second = updated(writing('u', { now: () => start + 5000 }), first, { ...first, spec: { replicas: 2, text: 'a' } })
  assert.deepEqual(owners(second), { 'a Apply': { 'f:spec': { 'f:text': {} } }, 'u Update': { 'f:spec': { 'f:replicas': {} } } })
  const third = updated(writing('u', { now: () => start + 9000 }), second, { ...second, spec: { replicas: 2, text: 'b' } })
  assert.deepEqual(owners(third), { 'u Update': { 'f:spec': { 'f:replicas': {}, 'f:text': {} } } })
  assert.equal(entries(third)[0]?.['time'], '2026-01-02T03:04:14Z')
})

test('writes without changes keep entries and times', () => {
  const live = applied(writing('a'), undefined, { replicas: 1 })
  const later = { now: () => start + 60_000 }
  assert.deepEqual(applied(writing('a', later), live, { replicas: 1 }), live)
  assert.deepEqual(updated(writing('u', later), live, live), live)
})

test('status writes own no spec, and the reverse', () => {
  const live = updated(writing('c'), undefined, { ...thing({ replicas: 1 }), status: { x: 1 } })
  assert.deepEqual(owners(live), { 'c Update': { 'f:spec': { 'f:replicas': {} } } })
  const status = updated(writing('k', { subresource: 'status' }), live, { ...live, spec: { replicas: 7 }, status: { x: 2 } })
  assert.deepEqual(owners(status), { 'c Update': { 'f:spec': { 'f:replicas': {} } }, 'k Update status': { 'f:status': { 'f:x': {} } } })
})

test('the first apply records owners for existing fields', () => {
  const live = { ...thing({ replicas: 1, text: 'a' }), metadata: { name: 'web', uid: 'u' } }
  assert.deepEqual(owners(applied(writing('a'), live, { text: 'a' })), {
    'a Apply': { 'f:spec': { 'f:text': {} } },
    'before-first-apply Update': { 'f:spec': { 'f:replicas': {}, 'f:text': {} } },
  })
  assert.equal(updateManaged(writing('u'), live, { ...live, spec: { replicas: 2 } }), undefined, 'updates record no owners')
})

test('managedFields sent by a client', () => {
  const live = applied(writing('a'), undefined, { replicas: 1 })
  const given = (managedFields: Json) => ({ ...live, metadata: { name: 'web', managedFields } })
  for (const empty of [[], [{}]]) assert.deepEqual(owners(updated(writing('u'), live, given(empty))), {})
  const entry = {
    manager: 'x',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  }
  assert.deepEqual(owners(updated(writing('u'), live, given([entry]))), { 'x Update': { 'f:spec': { 'f:replicas': {} } } })
  for (const bad of [
    { ...entry, operation: 'Other' },
    { ...entry, apiVersion: '' },
    { ...entry, fieldsType: '' },
    { ...entry, fieldsV1: { x: {} } },
  ])
    assert.deepEqual(owners(updated(writing('u'), live, given([bad]))), { 'a Apply': { 'f:spec': { 'f:replicas': {} } } })
  assert.deepEqual(owners(updated(writing('u', { subresource: 'status' }), live, given([]))), {
    'a Apply': { 'f:spec': { 'f:replicas': {} } },
  })
})

test('entries in unknown versions are dropped', () => {
  const live = applied(writing('a'), undefined, { replicas: 1 })
  const old = { ...entries(live)[0], manager: 'o', apiVersion: 'v0' }
  const given = { ...live, metadata: { ...metadataOf(live), managedFields: [...entries(live), old] } }
  assert.deepEqual(owners(applied(writing('a'), given, { replicas: 2 })), { 'a Apply': { 'f:spec': { 'f:replicas': {} } } })
})

test('entries are ordered by operation, then time, then name', () => {
  let live = updated(writing('z'), undefined, thing({ text: 'a' }))
  live = applied(writing('b', { now: () => start + 1000 }), live, { labels: { b: '' } })
  live = applied(writing('a', { now: () => start + 2000 }), live, { labels: { a: '' } })
  live = updated(writing('y', { now: () => start + 1000 }), live, { ...live, spec: { ...specOf(live), replicas: 1 } })
  live = updated(writing('x', { now: () => start + 1000 }), live, { ...live, spec: { ...specOf(live), args: ['x'] } })
  assert.deepEqual(
    entries(live).map(({ manager }) => manager),
    ['b', 'a', 'z', 'x', 'y'],
  )
})

test('more than ten update entries are merged, the oldest first', () => {
  let live = updated(writing('u0'), undefined, thing({ labels: { l0: '' } }))
  for (let at = 1; at <= 11; at++) {
    const labels = { ...(specOf(live)['labels'] as JsonObject), [`l${at}`]: '' }
    live = updated(writing(`u${at}`, { now: () => start + at * 1000 }), live, { ...live, spec: { labels } })
  }
  const names = entries(live).map(({ manager }) => manager)
  assert.deepEqual(names, ['ancient-changes', ...Array.from({ length: 9 }, (_, at) => `u${at + 3}`)])
  assert.deepEqual(owners(live)['ancient-changes Update'], { 'f:spec': { 'f:labels': { '.': {}, 'f:l0': {}, 'f:l1': {}, 'f:l2': {} } } })
  assert.equal(entries(live)[0]?.['time'], '2026-01-02T03:04:07Z')
})

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

function clientSide(spec: JsonObject): JsonObject {
  const annotation = JSON.stringify(thing(spec))
  return updated(writing('kubectl-client-side-apply'), undefined, thing(spec, { annotations: { [lastApplied]: annotation } }))
}

test('apply takes over fields of client-side apply, except those changed by others', () => {
  const live = clientSide({ replicas: 1, text: 'a' })
  const taken = applied(writing('kubectl'), live, { replicas: 2, text: 'a' })
  assert.deepEqual(owners(taken)['kubectl Apply'], { 'f:spec': { 'f:replicas': {}, 'f:text': {} } })
  const annotation = (metadataOf(taken)['annotations'] as JsonObject)[lastApplied]
  assert.equal(annotation, '{"apiVersion":"v1","kind":"Thing","metadata":{"name":"web"},"spec":{"replicas":2,"text":"a"}}\n')
  assert.equal(refusal(() => applied(writing('other'), live, { replicas: 2 })).code, 409)
  const changed = updated(writing('u'), live, { ...live, spec: { replicas: 5, text: 'a' } })
  assert.equal(
    refusal(() => applied(writing('kubectl'), changed, { replicas: 2, text: 'b' })).message,
    'Apply failed with 1 conflict: conflict with "u" using v1: .spec.replicas',
  )
})

test('objects that can not be applied', () => {
  const apply = (object: JsonObject) => refusal(() => applyWhole(writing('a'), undefined, object, false))
  assert.equal(apply({ ...thing({}), kind: 'Other' }).message, 'invalid object type: /v1, Kind=Other')
  assert.equal(apply({ spec: {} }).message, 'invalid object type: /, Kind=')
  assert.equal(apply({ ...thing({}), apiVersion: 'apps/v1' }).message, 'invalid object type: apps/v1, Kind=Thing')
  const entries = apply(thing({}, { managedFields: [] }))
  assert.deepEqual([entries.code, entries.reason, entries.message], [400, 'BadRequest', 'metadata.managedFields must be nil'])
  const untyped = apply(thing({ nope: 1 }, { namespace: 'ns' }))
  assert.deepEqual(
    [untyped.code, untyped.reason, untyped.message],
    [500, undefined, 'failed to create typed patch object (ns/web; /v1, Kind=Thing): .spec.nope: field not declared in schema'],
  )
})

test('applying twice is the same as applying once', () => {
  fc.assert(
    fc.property(specs, specs, (mine, theirs) => {
      const live = applied(writing('b'), undefined, theirs)
      const once = applied(writing('a'), live, mine, true)
      assert.deepEqual(applied(writing('a', { now: () => start + 1e6 }), once, mine), once)
    }),
  )
})

test('managers of different fields may apply in either order', () => {
  const split = fc.tuple(filled, fc.func(fc.boolean())).map(([spec, pick]) => {
    const parts: [JsonObject, JsonObject] = [{}, {}]
    for (const [key, value] of Object.entries(spec)) parts[pick(key) ? 0 : 1][key] = value
    return parts
  })
  fc.assert(
    fc.property(split, ([mine, theirs]) => {
      const there = applied(writing('b'), applied(writing('a'), undefined, mine), theirs)
      const back = applied(writing('a'), applied(writing('b'), undefined, theirs), mine)
      assert.deepEqual([specOf(there), owners(there)], [specOf(back), owners(back)])
    }),
  )
})

test('applying an empty object removes all fields of the manager', () => {
  fc.assert(
    fc.property(specs, specs, (mine, theirs) => {
      const alone = applied(writing('b'), undefined, theirs)
      const both = applied(writing('a'), alone, mine, true)
      const again = applied(writing('b'), both, theirs, true)
      const left = applied(writing('a'), again, {})
      assert.deepEqual(owners(left)['a Apply'], { 'f:spec': {} })
      assert.deepEqual(owners(left)['b Apply'], owners(alone)['b Apply'])
      for (const [key, value] of Object.entries(theirs)) if (typeof value !== 'object') assert.deepEqual(specOf(left)[key], value)
      for (const [key, value] of Object.entries(mine))
        if (typeof value !== 'object' && !(key in theirs)) assert.equal(specOf(left)[key] ?? undefined, undefined)
    }),
  )
})

test('an object that does not fit the version of another manager', () => {
  const other = objectAtom(message('Other', '', { metadata: field(1, ObjectMeta, ''), spec: field(2, map(string), '') }))
  const versions = { atom: (version: string) => (version === 'v1' ? atom : other), convert: (object: JsonObject) => object }
  const live = updated(writing('old', { apiVersion: 'v2', versions }), undefined, thing({ text: 'a' }))
  const mismatch = '.spec.replicas: expected string, got &value.valueUnstructured{Value:2}'
  assert.deepEqual(
    refusal(() => applied(writing('a', { versions }), live, { replicas: 2 })),
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `failed to convert new object: ${mismatch}`, code: 500 },
  )
  assert.deepEqual(owners(updated(writing('a', { versions }), live, thing({ replicas: 2 }))), {}, 'after an update nothing is owned')

  const inV2 = { ...thing({ text: 'a' }), apiVersion: 'v2' }
  const appliedLive = applyWhole(writing('a', { apiVersion: 'v2', versions }), undefined, inV2, false)
  const grown = { ...appliedLive, spec: { text: 'a', replicas: 2 } }
  assert.equal(
    refusal(() => applied(writing('a', { versions }), grown, { text: 'b' }, true)).message,
    `failed to prune fields: failed to convert merged object to last applied version: ${mismatch}`,
  )
})
