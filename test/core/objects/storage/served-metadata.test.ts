/** Metadata cut out of served bytes equals the metadata of the parsed object, whatever its strings contain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataFinder, withoutManagedFields } from '../../../../core/objects/storage/served-metadata.ts'
import type { ResourceDefinition } from '../../../../core/resources/definition.ts'

const definition = { group: 'example.com', version: 'v1', kind: 'Widget' } as ResourceDefinition
const find = metadataFinder(definition)
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const head = { kind: 'Widget', apiVersion: 'example.com/v1' }
const managedFields = [{ manager: 'a "b" \\', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:managedFields': {} } } } }]

const cases: { readonly [what: string]: object } = {
  'only a resourceVersion': { resourceVersion: '1' },
  'braces, quotes and backslashes in strings': {
    resourceVersion: '1',
    annotations: { '}{][': '"}\\', '\\"': '\\\\"', é: '\u2028\ud83d\ude00' },
  },
  'managed fields': { resourceVersion: '1', name: 'a', managedFields },
  'members behind managed fields': { resourceVersion: '1', managedFields, ownerReferences: [{ name: 'o' }, {}], finalizers: [] },
  'a label and an annotation named managedFields': {
    resourceVersion: '1',
    labels: { managedFields: 'x' },
    annotations: { managedFields: '"managedFields":[{}]' },
  },
  'an object named managedFields': { resourceVersion: '1', name: 'managedFields', managedFields },
}

for (const [what, metadata] of Object.entries(cases))
  test(what, () => {
    const object = { ...head, metadata, spec: { metadata: { managedFields }, text: '}' } }
    const served = encoder.encode(JSON.stringify(object))
    const place = find(served)
    assert(place)
    assert.equal(decoder.decode(served.subarray(place.start, place.end)), JSON.stringify(metadata))
    const { managedFields: _, ...others } = metadata as { managedFields?: unknown }
    assert.equal(withoutManagedFields(served, place), JSON.stringify({ ...object, metadata: others }))
  })

test('other or truncated bytes', () => {
  const other = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: {} })
  assert.equal(find(encoder.encode(other)), undefined)
  const text = JSON.stringify({ ...head, metadata: cases['managed fields'] })
  for (let length = 0; length < text.length - 1; length++) assert.equal(find(encoder.encode(text.slice(0, length))), undefined)
})
