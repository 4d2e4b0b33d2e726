/** A server with --storage-media-type=application/yaml. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { configMap } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'

test('objects are stored as YAML, read again, and rewritten by a server with another media type', async (t) => {
  const store = memoryStore()
  const start = (storageMediaType: string) => startInProcess({ store, storageMediaType, controllers: [] }, t)
  const stored = async () => {
    const { items } = await store.list({ prefix: '' })
    const found = items.find(({ key }) => key.endsWith('/configmaps/default/a'))
    return new TextDecoder().decode(found?.value)
  }
  const path = '/api/v1/namespaces/default/configmaps'
  const data = { text: 'yes', lines: 'one\ntwo\n' }
  const yaml = await start('application/yaml')
  const created = await yaml.api.create(path, configMap('a', data))
  assert.match(await stored(), /^apiVersion: v1\ndata:\n.*\n {2}text: "yes"\nkind: ConfigMap\n/s)
  assert.deepEqual((await yaml.api.get(`${path}/a`)).body, created)
  await yaml.close()

  const json = await start('application/json')
  assert.deepEqual((await json.api.get(`${path}/a`)).body, created)
  assert.equal((await json.api.patch(`${path}/a`, { data: { text: 'no' } })).status, 200)
  assert.match(await stored(), /^\{"kind":"ConfigMap"/)
})
