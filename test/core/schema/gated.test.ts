import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateRows } from '../../../core/config/feature-gate-rows.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { dropDisabled } from '../../../core/schema/gated.ts'
import { field, inline, type JsonObject, list, type Message, map, message, type Schema, string } from '../../../core/schema/model.ts'

const Inner = message('Inner', '', { kept: field(1, string, ''), gated: field(2, string, '', { gate: 'A' }) })
const Base = message('Base', '', { based: field(1, string, '', { gate: 'B' }) })
const Outer = message('Outer', '', {
  base: inline(1, Base),
  one: field(2, Inner, ''),
  items: field(3, list(Inner), ''),
  entries: field(4, map(Inner), ''),
  both: field(5, string, '', { gate: 'A,B' }),
})

const full = (): JsonObject => ({
  based: 'b',
  one: { kept: 'k', gated: 'g' },
  items: [{ kept: 'k', gated: 'g' }, { kept: 'k' }],
  entries: { x: { gated: 'g' } },
  both: 'x',
})

function dropped(off: readonly string[], old?: JsonObject): JsonObject {
  const object = full()
  dropDisabled(Outer, object, old, (gate) => !off.includes(gate))
  return object
}

test('nothing is dropped while all gates are enabled', () => {
  assert.deepEqual(dropped([]), full())
})

test('fields of a disabled gate are dropped at any depth', () => {
  assert.deepEqual(dropped(['A']), {
    based: 'b',
    one: { kept: 'k' },
    items: [{ kept: 'k' }, { kept: 'k' }],
    entries: { x: {} },
  })
  assert.deepEqual(dropped(['B']), {
    one: { kept: 'k', gated: 'g' },
    items: [{ kept: 'k', gated: 'g' }, { kept: 'k' }],
    entries: { x: { gated: 'g' } },
  })
})

test('when the stored object uses a disabled gate, all fields of that gate are kept', () => {
  assert.deepEqual(dropped(['A'], { items: [{ gated: 'before' }] }), withoutBoth())
  assert.deepEqual(dropped(['A'], { items: [{ kept: 'before' }] }), dropped(['A']), 'another field does not count')
  assert.deepEqual(dropped(['A', 'B'], { both: 'before' })['both'], 'x', 'fields of two gates are a separate feature')
})

function withoutBoth(): JsonObject {
  const { both: _, ...rest } = full()
  return rest
}

function gatesOf(schema: Schema, seen: Set<Schema>, found: Set<string>): void {
  if (seen.has(schema)) return
  seen.add(schema)
  if (schema.type === 'list') gatesOf(schema.items, seen, found)
  if (schema.type === 'map') gatesOf(schema.values, seen, found)
  if (schema.type !== 'message') return
  for (const each of Object.values((schema as Message).fields)) {
    for (const gate of each.gate?.split(',') ?? []) found.add(gate)
    gatesOf(each.schema, seen, found)
  }
}

test('every gate of a built-in field is a known feature gate', () => {
  const found = new Set<string>()
  for (const { schema } of builtInResources) gatesOf(schema, new Set(), found)
  const known = new Set<string>(gateRows.map(({ name }) => name))
  assert.ok(found.size > 20, `found ${found.size} gates`)
  assert.deepEqual(
    [...found].filter((gate) => !known.has(gate)),
    [],
  )
})

test('gated values without a field of their own are dropped by the rule of their message', () => {
  const Shop = message('Shop', '', { goods: field(1, list(string), '') }).with({
    gated: [{ gate: 'A', uses: ({ goods = [] }) => goods.includes('new'), drop: (shop) => void Object.assign(shop, { goods: ['old'] }) }],
  })
  const changed = (on: boolean, old?: JsonObject) => {
    const object = { goods: ['old', 'new'] }
    dropDisabled(Shop, object, old, () => on)
    return object.goods
  }
  assert.deepEqual(changed(true), ['old', 'new'])
  assert.deepEqual(changed(false), ['old'])
  assert.deepEqual(changed(false, { goods: ['new'] }), ['old', 'new'])
})
