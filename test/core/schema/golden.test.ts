/** Objects with a value in every field, as kube-apiserver writes them in JSON, YAML and protobuf (test/reference/corpora). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseYaml } from '../../../core/request/yaml.ts'
import { decode } from '../../../core/schema/decode.ts'
import { printJson } from '../../../core/schema/json/text.ts'
import type { Json } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeEnvelope, encodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'
import { writeYaml } from '../../../core/schema/yaml/writer.ts'
import { readEncoded } from '../../reference/corpora/corpus.ts'
import { schemasByTitle } from '../../reference/kinds.ts'

const schemas = schemasByTitle()

for (const [title, json, yaml, protobuf] of readEncoded())
  test(title, () => {
    const schema = schemas.get(title)
    assert.ok(schema)
    const framed = new Uint8Array(Buffer.from(protobuf, 'base64'))
    const { value, unknown } = decode(schema, JSON.parse(json) as Json, { root: true })
    assert.deepEqual(unknown, [])
    assert.equal(printJson(value), JSON.stringify(JSON.parse(json)))
    const { kind, apiVersion, raw } = decodeEnvelope(framed)
    assert.equal(printJson({ kind, apiVersion, ...decodeProtobuf(schema, raw) }), printJson(value))
    assert.ok(Buffer.from(encodeEnvelope(apiVersion, kind, encodeProtobuf(schema, value))).equals(framed))
    assert.equal(writeYaml(value), yaml)
    const read = parseYaml(new TextEncoder().encode(yaml), { duplicates: true })
    assert.deepEqual([printJson(decode(schema, read.value, { root: true }).value), read.duplicates], [printJson(value), []])
  })
