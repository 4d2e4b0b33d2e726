/** When a definition is served anew, which ends its watches. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Definition } from '../../../../core/controllers/custom-resources/definition.ts'
import { createServedDefinitions } from '../../../../core/controllers/custom-resources/served-definitions.ts'
import type { LiveTable } from '../../../../core/objects/registry/table.ts'
import { createRawCodec } from '../../../../core/objects/storage/raw-codec.ts'
import { StoredObject } from '../../../../core/objects/storage/stored-object.ts'
import type { Versioning } from '../../../../core/resources/definition.ts'

const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] }

const definitionOf = (acceptedNames: object, metadata: object = {}): Definition => ({
  metadata: { name: 'widgets.example.com', uid: 'u', generation: 1, ...metadata },
  spec: { group: 'example.com', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true }] },
  status: { acceptedNames: acceptedNames as typeof names, conditions: [{ type: 'NamesAccepted', status: 'True' }] },
})

function serving() {
  const replaced: number[] = []
  const replace: LiveTable['replace'] = (_name, rows) => {
    replaced.push(rows.length)
    return []
  }
  const versioning: Versioning = { heldIn: 'requested', converter: { convert: (objects) => objects } }
  const served = createServedDefinitions({
    table: { replace, overlaps: () => false } as unknown as LiveTable,
    versioningOf: () => versioning,
  })
  const update = (definition: Definition) => {
    replaced.length = 0
    served.update(definition, new StoredObject('key', 1, new TextEncoder().encode(JSON.stringify(definition)), createRawCodec()))
    return replaced.length
  }
  return { update }
}

test('a definition is served anew when its spec, identity or accepted names change, however they are written', () => {
  const { update } = serving()
  assert.equal(update(definitionOf(names)), 1, 'first')
  assert.equal(update(definitionOf(names, { labels: { a: 'b' } })), 0, 'labels')
  assert.equal(update(definitionOf(Object.fromEntries(Object.entries(names).toReversed()))), 0, 'accepted names in another order')
  assert.equal(update(definitionOf({ ...names, categories: [] })), 0, 'an empty list')
  assert.equal(update(definitionOf({ ...names, categories: ['all'] })), 1, 'a category')
  assert.equal(update(definitionOf({ ...names, categories: ['all'] }, { generation: 2 })), 1, 'spec')
  assert.equal(update(definitionOf({ ...names, categories: ['all'] }, { generation: 2, uid: 'v' })), 1, 'another definition')
})
