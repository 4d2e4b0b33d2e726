/** Bodies of patches that are of another type than patches are: codes and texts recorded with kube-apiserver 1.36.2. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap } from '../../../support/api.ts'
import { serverForTests } from '../../../support/in-process.ts'

const api = serverForTests({ controllers: [] })
const configMaps = '/api/v1/namespaces/default/configmaps'

const decoding = 'error decoding patch: '
const cannot = (what: string, type: string) => `json: cannot unmarshal ${what} into Go ${type}`
const map = 'value of type map[string]interface {}'
const operations = 'value of type []handlers.jsonPatchOp'
const inOurRequest = 'the server rejected our request due to an error in our request'

/** Types with bodies, codes and messages; without a message, nothing changes. */
const rows: { readonly [type: string]: readonly (readonly [body: string, code: number, message?: string])[] } = {
  'merge-patch': [
    ['[]', 400, decoding + cannot('array', map)],
    ['null', 400, 'Invalid JSON Patch'],
    ['"x"', 400, decoding + cannot('string', map)],
    ['1', 400, decoding + cannot('number', map)],
  ],
  'strategic-merge-patch': [
    ['[]', 400, cannot('array', map)],
    ['null', 200],
    ['"x"', 400, cannot('string', map)],
    ['1', 400, cannot('number', map)],
  ],
  'json-patch': [
    ['[]', 200],
    ['null', 200],
    ['{}', 400, decoding + cannot('object', operations)],
    ['{"op":"add"}', 400, decoding + cannot('object', operations)],
    ['"x"', 400, decoding + cannot('string', operations)],
    ['1', 400, decoding + cannot('number', operations)],
    ['[1]', 400, decoding + cannot('number', 'value of type handlers.jsonPatchOp')],
    ['[[]]', 400, decoding + cannot('array', 'value of type handlers.jsonPatchOp')],
    ['[{"op":1}]', 400, decoding + cannot('number', 'struct field jsonPatchOp.op of type string')],
    ['[{"op":"add","path":1}]', 400, decoding + cannot('number', 'struct field jsonPatchOp.path of type string')],
    ['[', 400, `${decoding}unexpected end of JSON input`],
    ['', 400, `${decoding}unexpected end of JSON input`],
    ['[{"op":"x","path":"/data"}]', 422, inOurRequest],
    ['[{"op":"remove","path":"/data/zz"}]', 422, inOurRequest],
    ['[{"op":"test","path":"/data/a","value":"2"}]', 422, inOurRequest],
    ['[{"op":"copy","path":"/data/b"}]', 422, inOurRequest],
  ],
}

for (const [type, bodies] of Object.entries(rows))
  test(`bodies of ${type}`, async () => {
    const { metadata } = await api.create(configMaps, configMap(type, { a: '1' }))
    for (const [body, code, message] of bodies) {
      const answer = await api.send<{ message?: string }>('PATCH', `${configMaps}/${type}`, body, {
        'content-type': `application/${type}+json`,
      })
      assert.deepEqual([answer.status, answer.body.message], [code, message], body)
    }
    assert.equal((await api.get(`${configMaps}/${type}`)).body.metadata.resourceVersion, metadata.resourceVersion)
  })
