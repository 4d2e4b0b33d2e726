/** Resources added and removed while the server runs: every part of the server follows at once. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import { customResourceRows } from '../../../../core/resources/apiextensions/custom-resource.ts'
import { relabelling } from '../../../../core/resources/converter.ts'
import type { ApiObject, ResourceDefinition, Versioning } from '../../../../core/resources/definition.ts'
import { openPort } from '../../../../runtimes/testing/port.ts'
import { type Api, assertFailure, type TestObject } from '../../../support/api.ts'
import { startCore } from '../../../support/core-server.ts'
import { apiOn } from '../../../support/in-process.ts'
import { kubectls, kubectlWith } from '../../../support/kubectl.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { eventually } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'
import { ownedBy } from '../../controllers/support.ts'

const group = 'shop.example.com'
const kinds = ['Widget', 'Gadget', 'Gizmo']

function rowOf(kind: string): ResourceDefinition {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', additionalProperties: { type: 'string' }, description: 'What it is like.' } },
  }
  const [made] = customResourceRows({
    metadata: {},
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: `${kind.toLowerCase()}s`, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  })
  assert(made)
  return made.row
}

const rows = kinds.map(rowOf)
const root = `/apis/${group}/v1`
const widgets = `${root}/namespaces/default/widgets`

interface Shop extends Api {
  readonly replace: (rows: readonly ResourceDefinition[]) => void
  readonly handle: (request: Request) => Promise<Response>
}

async function open(t: TestContext, options: { watchCache?: boolean } = {}): Promise<Shop> {
  const server = await startCore({ platform: createPlatform('kubernetes'), ...options })
  t.after(() => server.close())
  const api = apiOn(server)
  return { ...api, replace: (given) => server.table.replace(group, given), handle: (request) => server.fetch(request) }
}

const object = (kind: string, name: string, metadata: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name, ...metadata },
  spec: { colour: 'red' },
})

interface Discovered {
  readonly resources?: readonly { readonly name: string }[]
  readonly groups?: readonly { readonly name: string }[]
}

async function published({ get }: Shop) {
  const names = ({ resources = [] }: Discovered) => resources.map(({ name }) => name)
  const aggregated = await get<{ items: { metadata: { name?: string }; versions: { resources: { resource: string }[] }[] }[] }>('/apis', {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  })
  const v2 = await get<{ paths: object; definitions: object }>('/openapi/v2')
  const v3 = await get<{ paths: object }>('/openapi/v3')
  return {
    list: names((await get<Discovered>(root)).body),
    groups: ((await get<Discovered>('/apis')).body.groups ?? []).some(({ name }) => name === group),
    aggregated: aggregated.body.items
      .filter(({ metadata }) => metadata.name === group)
      .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources.map(({ resource }) => resource))),
    paths: Object.keys(v2.body.paths).filter((path) => path.startsWith(`${root}/`) && !path.includes('{')).length,
    models: Object.keys(v2.body.definitions).filter((name) => name.startsWith('com.example.shop.')).length,
    documents: Object.keys(v3.body.paths).includes(`apis/${group}/v1`),
    root: ((await get<{ paths: string[] }>('/')).body.paths ?? []).includes(root),
  }
}

const everything = {
  list: ['gadgets', 'gizmos', 'widgets'],
  groups: true,
  aggregated: ['gadgets', 'gizmos', 'widgets'],
  paths: 3,
  models: 6,
  documents: true,
  root: true,
}
const nothing = { list: [], groups: false, aggregated: [], paths: 0, models: 0, documents: false, root: false }

test('discovery and OpenAPI', async (t) => {
  const shop = await open(t)
  assert.deepEqual(await published(shop), nothing)
  shop.replace(rows)
  assert.deepEqual(await published(shop), everything)
  shop.replace(rows.slice(0, 1))
  assert.deepEqual((await published(shop)).list, ['widgets'])
  shop.replace([])
  assert.deepEqual(await published(shop), nothing)
})

test('requests, and objects stored earlier', async (t) => {
  const shop = await open(t)
  assert.equal((await shop.get(widgets)).status, 404)
  shop.replace(rows)
  const { metadata } = await shop.create(widgets, object('Widget', 'first'))
  shop.replace([])
  assert.equal((await shop.get(`${widgets}/first`)).status, 404)
  shop.replace(rows.map(({ kind }) => rowOf(kind)))
  assert.deepEqual(
    (await shop.list(widgets)).items.map(({ metadata: { uid } }) => uid),
    [metadata.uid],
  )
})

for (const watchCache of [true, false]) {
  test(`watches of a removed kind end, others continue, ${watchCache ? 'with' : 'without'} watch cache`, async (t) => {
    const shop = await open(t, { watchCache })
    shop.replace(rows)
    const gone = await watchAt(shop.fetch, `${root}/widgets`)
    const stays = await watchAt(shop.fetch, `${root}/gadgets`)
    await shop.create(widgets, object('Widget', 'w'))
    assert.equal((await gone.object()).object.metadata.name, 'w')
    shop.replace(rows.slice(1))
    assert.deepEqual(await gone.rest(), [])
    await shop.create(`${root}/namespaces/default/gadgets`, object('Gadget', 'g'))
    assert.equal((await stays.object()).object.metadata.name, 'g')
    await stays.close()
  })
}

const versioning: Versioning = { heldIn: 'requested', converter: relabelling }

test('rows that share the schema of those they replace', async (t) => {
  const shop = await open(t)
  const [row] = rows
  assert(row)
  const before = { ...row, versioning }
  shop.replace([before])
  await shop.create(widgets, object('Widget', 'w'))
  const closing = await watchAt(shop.fetch, widgets)
  assert.equal((await closing.object()).type, 'ADDED')

  shop.replace([{ ...before, closing: 'create not allowed' }])
  assertFailure(await shop.send('POST', widgets, object('Widget', 'x')), 403, 'Forbidden', /create not allowed/)
  await shop.patch(`${widgets}/w`, { spec: { colour: 'blue' } })
  assert.equal((await closing.object()).type, 'MODIFIED')

  const strategy = { ...row.strategy, defaults: (given: ApiObject) => void Object.assign(given, { spec: { colour: 'green' } }) }
  shop.replace([{ ...before, strategy }])
  assert.deepEqual(await closing.rest(), [])
  assert.deepEqual((await shop.create(widgets, { ...object('Widget', 'y'), spec: undefined })).spec, { colour: 'green' })

  shop.replace([{ ...before, kind: 'Thing', listKind: 'ThingList' }])
  assert.deepEqual((await shop.create(widgets, object('Thing', 'z'))).kind, 'Thing')
  assert.deepEqual(
    (await shop.list(widgets)).items.map(({ kind, metadata: { name } }) => [kind, name]),
    ['w', 'y', 'z'].map((name) => ['Thing', name]),
  )

  const cluster = await watchAt(shop.fetch, `${root}/widgets`)
  shop.replace([{ ...before, namespaced: false, storageKey: 'shop/widgets' }])
  await cluster.rest()
  await shop.create(`${root}/widgets`, object('Widget', 'c'))
  assert.equal((await shop.get(`${root}/widgets/c`)).body.metadata.namespace, undefined)
})

test('the garbage collector', async (t) => {
  const shop = await open(t)
  const secrets = '/api/v1/namespaces/default/secrets'
  const secret = (name: string, owner: TestObject) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ownerReferences: [ownedBy(owner)] },
  })
  shop.replace(rows)
  const owner = await shop.create(widgets, object('Widget', 'owner'))
  const gadget = await shop.create(`${root}/namespaces/default/gadgets`, object('Gadget', 'part', { ownerReferences: [ownedBy(owner)] }))
  await shop.create(secrets, secret('leaf', gadget))
  await shop.delete(`${widgets}/owner`)
  for (const path of [`${root}/namespaces/default/gadgets/part`, `${secrets}/leaf`])
    await eventually(`${path} goes`, async () => (await shop.get(path)).status === 404)

  // While the kind is unknown, its dependents are kept; whether the owner still exists is checked when the kind is back.
  const other = await shop.create(widgets, object('Widget', 'other'))
  await shop.create(secrets, secret('kept', other))
  await shop.create(secrets, secret('lost', { ...other, metadata: { ...other.metadata, uid: crypto.randomUUID() } }))
  await eventually('the secret without owner is deleted', async () => (await shop.get(`${secrets}/lost`)).status === 404)
  shop.replace([])
  await shop.create(secrets, secret('waiting', { ...other, metadata: { ...other.metadata, name: 'none' } }))
  await shop.create(secrets, {
    ...secret('probe', other),
    metadata: { name: 'probe', ownerReferences: [ownedBy({ ...other, apiVersion: 'v1', kind: 'Secret' })] },
  })
  await eventually('the collector has caught up', async () => (await shop.get(`${secrets}/probe`)).status === 404)
  assert.equal((await shop.get(`${secrets}/waiting`)).status, 200)
  shop.replace(rows.map(({ kind }) => rowOf(kind)))
  await eventually(
    'the secret of an owner that never existed is deleted',
    async () => (await shop.get(`${secrets}/waiting`)).status === 404,
  )
  assert.equal((await shop.get(`${secrets}/kept`)).status, 200)
})

test('dependents stored before their kind was served', async (t) => {
  const shop = await open(t)
  shop.replace(rows)
  const gadgets = `${root}/namespaces/default/gadgets`
  const config = await shop.create('/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c' },
  })
  await shop.create(gadgets, object('Gadget', 'dependent', { ownerReferences: [ownedBy(config)] }))
  shop.replace([])
  await shop.delete('/api/v1/namespaces/default/configmaps/c')
  shop.replace(rows)
  await eventually('the gadget is deleted', async () => (await shop.get(`${gadgets}/dependent`)).status === 404)
})

test('the deletion of a namespace', async (t) => {
  const shop = await open(t)
  shop.replace(rows)
  const namespaces = '/api/v1/namespaces'
  await shop.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'closing' } })
  const gadgets = `${root}/namespaces/closing/gadgets`
  await shop.create(gadgets, object('Gadget', 'held', { finalizers: ['example.com/hold'] }))
  await shop.delete(`${namespaces}/closing`)
  await eventually('the namespace reports its remaining content', async () => {
    const { status } = (await shop.get(`${namespaces}/closing`)).body
    return JSON.stringify(status).includes('gadgets.shop.example.com has 1 resource instances')
  })
  await shop.patch(`${gadgets}/held`, { metadata: { finalizers: null } })
  await eventually('the namespace is deleted', async () => (await shop.get(`${namespaces}/closing`)).status === 404)
})

const [binary] = kubectls().slice(-1)
test('kubectl', { skip: !binary && 'no kubectl on PATH or in KUBECTL_PATHS' }, async (t) => {
  const shop = await open(t)
  const port = await openPort(0, shop.handle)
  t.after(() => port.close())
  const home = temporaryDirectory('table')
  t.after(home.remove)
  const config = join(home.path, 'config')
  writeFileSync(
    config,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: port.url } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
      users: [{ name: 'c', user: {} }],
      'current-context': 'c',
    }),
  )
  assert(binary)
  const kubectl = kubectlWith(binary, config, home.path)
  shop.replace(rows)
  assert.match(await kubectl.run('api-resources', `--api-group=${group}`), /gadgets[\s\S]*gizmos[\s\S]*widgets/)
  assert.match(await kubectl.pipe(object('Gizmo', 'g'), 'apply'), /gizmo.shop.example.com\/g created/)
  assert.match(await kubectl.run('get', 'gizmos'), /^NAME +AGE\ng /)
  assert.match(await kubectl.run('explain', 'gizmo.spec'), /What it is like/)
  shop.replace([])
  assert.doesNotMatch(await kubectl.run('api-resources'), /gizmos/)
  assert.match((await kubectl.try(['get', 'gizmos.shop.example.com'])).stderr, /the server doesn't have a resource type/)
})
