import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds } from '../../../core/request/ids.ts'

test('ids are unique UUIDs of version 4', () => {
  const next = createIds()
  const ids = Array.from({ length: 1_000 }, next)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set([...ids, ...Array.from({ length: 1_000 }, createIds())]).size, 2_000)
  // Every variable digit takes several values.
  for (const place of [0, 7, 9, 12, 15, 17, 20, 22, 24, 35]) assert.equal(new Set(ids.map((id) => id[place])).size, 16, `place ${place}`)
})
