/** Objects that the small client returns: as their JSON says, whoever has them in memory, and the caller's own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer, type TestServer } from '../../../runtimes/testing/index.ts'
import { widgetsIn } from './widgets.ts'

type Odd = { readonly apiVersion: string; readonly kind: string; readonly path: string; readonly body: string }

const odd = (version: string, name: string, rest: string): Odd => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  path: `/apis/example.com/${version}/namespaces/default/widgets`,
  body: `{"apiVersion":"example.com/${version}","kind":"Widget","metadata":{"name":"${name}"},${rest}}`,
})

const map = (name: string, rest: string): Odd => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
  body: `{"metadata":{"name":"${name}"${rest}}`,
})

const odds: { readonly [what: string]: Odd } = {
  'names that objects have': odd('v1', 'names', '"a":{"__proto__":{"b":1},"constructor":"c","toJSON":"d","":"e","0":"f"},"7":"g"'),
  'numbers that doubles do not hold': odd(
    'v1',
    'numbers',
    '"a":[9007199254740993,-9223372036854775808,1e3,0.5,-0.0,1.0,123456789012345678901]',
  ),
  'nulls and what is empty': odd('v1', 'empty', '"a":{"b":null,"c":{},"d":[],"e":"","f":[null,{},[]]}'),
  'another version': odd('v2', 'version', '"a":{"b":[1,"2",true]}'),
  'characters that are escaped': map(
    'characters',
    ',"annotations":{"a":"<&>\\u2028\\ud800 ü\\ud83d\\ude00\\u0000\\"\\\\"}},"data":{"__proto__":"é"}',
  ),
  'lists that were given empty': map('given', ',"labels":{},"finalizers":[],"ownerReferences":null},"data":{}'),
  'a part that keeps its text': {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    path: '/apis/apps/v1/namespaces/default/controllerrevisions',
    body: '{"metadata":{"name":"raw"},"revision":1,"data":{"a":1.0,"b":9007199254740993}}',
  },
}

async function textOf(server: TestServer, path: string): Promise<string> {
  return (await server.fetch(path)).text()
}

/** Calls until the object has been read from memory in all ways. */
const often = 4

for (const [what, { apiVersion, kind, path, body }] of Object.entries(odds))
  test(`an object is returned as its JSON says: ${what}`, async (t) => {
    const server = await startTestServer()
    t.after(() => server.close())
    await server.load(widgetsIn({ name: 'v1' }, { name: 'v2' }))
    const objects = server.objects(apiVersion, kind)
    const sent = await server.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    assert.equal(sent.status, 201)
    const { metadata } = (await sent.json()) as { metadata: { name: string } }
    const own = `${path}/${metadata.name}`
    const same = async (returned: unknown) => {
      const parsed = JSON.parse(await textOf(server, own)) as unknown
      assert.deepEqual(returned, parsed)
      assert.equal(JSON.stringify(returned), JSON.stringify(parsed))
    }
    for (let at = 0; at < often; at++) await same(await objects.get(metadata.name))
    for (let at = 0; at < often; at++) {
      await same(await objects.patch(metadata.name, { metadata: { annotations: { touched: `${at >> 1}` } } }))
      await same(await objects.get(metadata.name))
    }
    // What it has is immutable, and JavaScript has no text for it.
    if (kind === 'ControllerRevision') return
    const sentBack = JSON.parse(await textOf(server, own)) as { metadata: object }
    await same(await objects.update({ ...sentBack, metadata: { ...sentBack.metadata, labels: { more: 'yes' } } }))
    await same(await objects.apply({ metadata: { name: metadata.name, labels: { applied: 'yes' } } } as never))
  })

test('whoever gets an object may change it: nobody else sees it', async (t) => {
  const server = await startTestServer()
  t.after(() => server.close())
  const maps = server.objects<{ metadata: { labels?: object; managedFields?: unknown[] }; data?: object }>('v1', 'ConfigMap')
  const path = '/api/v1/namespaces/default/configmaps/one'
  const spoil = (object: { metadata: { labels?: object; managedFields?: unknown[] }; data?: object }) => {
    Object.assign(object.data ?? {}, { text: 'spoilt' })
    Object.assign(object.metadata.labels ?? {}, { more: 'spoilt' })
    Object.assign(object.metadata.managedFields?.[0] ?? {}, { fieldsV1: {} })
    object.metadata.managedFields?.push({})
  }
  spoil(await maps.create({ metadata: { name: 'one', labels: { of: 'all' } }, data: { text: 'stored' } } as never))
  for (let at = 0; at < often; at++) {
    spoil(await maps.get('one'))
    spoil(await maps.patch('one', { metadata: { labels: { at: `${at}` } } }))
    assert.doesNotMatch(await textOf(server, path), /spoilt|"fieldsV1":\{\}/)
  }
})

test('a dry run returns what it would store', async (t) => {
  const server = await startTestServer()
  t.after(() => server.close())
  const maps = server.objects<{ metadata: { resourceVersion?: string }; data?: object }>('v1', 'ConfigMap')
  const dry = { dryRun: 'All' }
  const created = await maps.create({ metadata: { name: 'one' }, data: { a: '1' } } as never, dry)
  assert.equal('resourceVersion' in created.metadata, false)
  const { metadata } = await maps.create({ metadata: { name: 'one' }, data: { a: '1' } } as never)
  const patched = await maps.patch('one', { data: { a: '2' } }, { query: dry })
  assert.deepEqual([patched.data, patched.metadata.resourceVersion], [{ a: '2' }, metadata.resourceVersion])
  assert.deepEqual((await maps.get('one')).data, { a: '1' })
})
