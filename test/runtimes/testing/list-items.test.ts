/** Lists of the small client: each call returns objects of its own, whether the list was there before or not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../../runtimes/testing/index.ts'

interface Text {
  readonly metadata: { readonly name: string; readonly labels?: object; readonly managedFields?: unknown[] }
  readonly data?: { readonly text?: string }
}

/** Lists until copies are returned. */
const often = 5

test('whoever lists may change the objects: nobody else sees it', async (t) => {
  const server = await startTestServer()
  t.after(() => server.close())
  const maps = server.objects<Text>('v1', 'ConfigMap')
  for (const name of ['one', 'two']) await maps.create({ metadata: { name, labels: { of: 'all' } }, data: { text: 'stored' } })
  const stored = async () =>
    ((await (await server.fetch('/api/v1/namespaces/default/configmaps')).json()) as { readonly items: readonly unknown[] }).items
  for (let at = 0; at < often; at++) {
    const items = await maps.list()
    assert.deepEqual(items, await stored())
    for (const item of items) {
      Object.assign(item.data ?? {}, { text: 'changed' })
      Object.assign(item.metadata.labels ?? {}, { more: 'changed' })
      item.metadata.managedFields?.pop()
    }
    items.pop()
  }
  await maps.patch('one', { data: { text: 'patched' } })
  assert.deepEqual(
    (await maps.list()).map(({ data }) => data?.text),
    ['patched', 'stored'],
  )
  for (let at = 0; at < often; at++) assert.deepEqual(await maps.list(), await stored())
})

test('a key that is called like the prototype is a key in each list', async (t) => {
  const server = await startTestServer()
  t.after(() => server.close())
  const maps = server.objects<Text>('v1', 'ConfigMap')
  await maps.create({ metadata: { name: 'one' } })
  await maps.patch('one', JSON.parse('{"data": {"__proto__": "value"}}') as object)
  await maps.create({ metadata: { name: 'two' } })
  for (let at = 0; at < often; at++) {
    const [first] = await maps.list()
    assert.equal(JSON.stringify(first?.data), '{"__proto__":"value"}')
  }
})
