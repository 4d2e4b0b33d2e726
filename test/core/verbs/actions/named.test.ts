import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { connections } from '../../../../core/verbs/actions/connect.ts'
import { createActions } from '../../../../core/verbs/actions/index.ts'
import type { Services } from '../../../../core/verbs/services.ts'

/** Services of which nothing is used but the handlers of connections: whatever else is read of them is the same. */
const unused: Services = new Proxy(() => unused, {
  get: (_, name) => (name === 'connections' ? connections : name === Symbol.toPrimitive ? () => '' : unused),
}) as unknown as Services

test('the action of each resource and subresource is the name of a handler', () => {
  const actionOf = createActions(unused)
  const named = builtInResources.flatMap((row) =>
    [{ name: '', action: row.action }, ...row.subresources].filter(({ action }) => action).map(({ name }) => [row, name] as const),
  )
  const missing = named.filter(([row, name]) => actionOf(row, name) === undefined).map(([row, name]) => `${row.names.plural}/${name}`)
  assert.ok(named.length > 15)
  assert.deepEqual(missing, [])
})
