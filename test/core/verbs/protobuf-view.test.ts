/** Lists in protobuf have the bytes of single objects, though the field sets of managers are not parsed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { encodeProtobuf } from '../../../core/schema/protobuf.ts'
import { createCodec } from '../../../core/storage/codec.ts'
import { Entry } from '../../../core/storage/entry.ts'
import { protobufView } from '../../../core/verbs/protobuf-view.ts'

const platform = createPlatform()
const definition = builtInResources.map((row) => bind(row, platform)).find(({ kind }) => kind === 'ConfigMap')
assert(definition, 'the kind is built in')
const codec = createCodec(definition)
const view = protobufView(definition)

const manager = (rest: object) => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  ...rest,
})
const managed = {
  none: undefined,
  one: [manager({ fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } })],
  'with a subresource, and one without fields': [
    manager({ fieldsV1: { 'f:metadata': { 'f:labels': { 'f:x': {} } } }, subresource: 'status' }),
    manager({}),
    manager({ fieldsV1: {} }),
  ],
  'with keys that look like structure': [manager({ fieldsV1: { 'k:{"name":"}]},\\"fieldsV1\\":{"}': { 'f:"managedFields":[': {} } } })],
  'with characters that are escaped for HTML': [manager({ fieldsV1: { 'v:"<&>"': {}, 'f:\u2028': {} } })],
  'with names beyond ASCII': [manager({ manager: 'größe', fieldsV1: { 'f:ключ': {}, 'f:😀': {} } })],
}

for (const [name, managedFields] of Object.entries(managed))
  test(`managers: ${name}`, () => {
    const metadata = { name: 'a', namespace: 'default', uid: 'u', labels: { managedFields: '[' }, ...(managedFields && { managedFields }) }
    const object = codec.canonical({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { a: ',"managedFields":[' } } as never)
    const served = codec.show(codec.print(object), 7)
    const entry = new Entry('/r/a', 7, served, codec)
    const expected = encodeProtobuf(definition.schema, entry.decode() as never)
    assert.deepEqual(encodeProtobuf(definition.schema, view(entry)), expected)
  })
