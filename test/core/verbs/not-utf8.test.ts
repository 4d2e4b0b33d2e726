/** Bodies with invalid UTF-8: replaced in JSON, as by Go's encoding/json, and refused in YAML. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionsPath, smallDefinition } from '../../conformance/definitions.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const objects = '/apis/e.com/v1/things'

/** The text as bytes, with an invalid UTF-8 byte in place of each `?`. */
const broken = (text: string) => new TextEncoder().encode(text).map((byte) => (byte === 0x3f ? 0xff : byte))

const openAPIV3Schema = { type: 'object', properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } }
const definition = smallDefinition('e.com', 'Thing', { scope: 'Cluster', openAPIV3Schema })

test('invalid UTF-8 becomes U+FFFD in JSON bodies and patches, and is refused in YAML', async (t) => {
  const { fetch } = await startInProcess({}, t)
  async function send(method: string, path: string, body: string, type = 'application/json'): Promise<[number, string]> {
    const init = { method, headers: { 'content-type': type }, body: broken(body) }
    const response = await fetch(path, init)
    const answer = (await response.json()) as { data?: { a?: string }; message?: string }
    return [response.status, answer.data?.a ?? answer.message ?? '']
  }
  assert.deepEqual((await send('POST', definitionsPath, JSON.stringify(definition)))[0], 201)
  await eventually('the resource', async () => (await fetch(objects)).status === 200)
  const kinds = { ConfigMap: ['v1', configMaps], Thing: ['e.com/v1', objects] } as const
  for (const [kind, [apiVersion, path]] of Object.entries(kinds)) {
    const body = `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":{"name":"one"},"data":{"a":"b?c"}}`
    assert.deepEqual(await send('POST', path, body), [201, 'b\ufffdc'])
    const one = `${path}/one`
    assert.deepEqual(await send('PATCH', one, '{"data":{"a":"?d"}}', 'application/merge-patch+json'), [200, '\ufffdd'])
    const operation = '[{"op":"replace","path":"/data/a","value":"e?"}]'
    assert.deepEqual(await send('PATCH', one, operation, 'application/json-patch+json'), [200, 'e\ufffd'])
    const [status, message] = await send('PATCH', `${one}?fieldManager=a&force=true`, body, 'application/apply-patch+yaml')
    assert.equal(status, 400)
    assert.match(message, /UTF-8/)
    const [yaml, why] = await send('POST', path, body.replace('one', 'two'), 'application/yaml')
    assert.equal(yaml, 400)
    assert.match(why, /UTF-8/)
  }
})
