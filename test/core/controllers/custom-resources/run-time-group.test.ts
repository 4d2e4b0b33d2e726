/** A group of three kinds, given to a running server as CustomResourceDefinitions and taken away again. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPort, writeKubeconfig } from '../../../../runtimes/testing/port.ts'
import { definitionsPath, smallDefinition } from '../../../conformance/definitions.ts'
import type { Api } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { kubectls, kubectlWith } from '../../../support/kubectl.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { eventually } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'
import { ownedBy } from '../support.ts'

const group = 'shop.example.com'
const kinds = ['Widget', 'Gadget', 'Gizmo']
const plurals = kinds.map((kind) => `${kind.toLowerCase()}s`)
const root = `/apis/${group}/v1`
const namespaces = '/api/v1/namespaces'

const definitionOf = (kind: string) => {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', description: `What a ${kind} is.` } } }
  return smallDefinition(group, kind, { openAPIV3Schema })
}

const object = (kind: string, name: string, metadata: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name, ...metadata },
  spec: {},
})

const open = (t: TestContext) => startInProcess({ platform: 'kubernetes' }, t)

/** What discovery and OpenAPI say about the group; undefined when they know nothing of it. */
async function published({ get }: Api) {
  const listed = await get<{ resources: { name: string }[] }>(root)
  const document = await get<{ components: { schemas: { [name: string]: unknown } } }>(`/openapi/v3${root}`)
  const groups = (await get<{ groups: { name: string }[] }>('/apis')).body.groups.map(({ name }) => name)
  if (!groups.includes(group)) return assert.deepEqual([listed.status, document.status], [404, 404])
  const schemas = Object.keys(document.body.components.schemas)
  return {
    resources: listed.body.resources.map(({ name }) => name),
    kinds: kinds.filter((kind) => schemas.includes(`com.example.shop.v1.${kind}`)),
  }
}

const gone = (api: Api, path: string) => eventually(`${path} goes`, async () => (await api.get(path)).status === 404)

test('every part of the server knows the group while it is served, and forgets it afterwards', async (t) => {
  const { api } = await open(t)
  assert.equal(await published(api), undefined)
  for (const kind of kinds) await api.create(definitionsPath, definitionOf(kind))
  await eventually('the group is published', async () => (await published(api))?.kinds.length === kinds.length)
  assert.deepEqual(await published(api), { resources: plurals.toSorted(), kinds })

  const path = (plural: string, namespace = 'default') => `${root}/namespaces/${namespace}/${plural}`
  const watch = await watchAt(api.fetch, `${root}/gadgets`)

  // Garbage collection: from a custom resource to another one, and on to a built-in kind.
  const owner = await api.create(path('widgets'), object('Widget', 'owner'))
  const part = await api.create(path('gadgets'), object('Gadget', 'part', { ownerReferences: [ownedBy(owner)] }))
  await api.create(`${namespaces}/default/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'leaf', ownerReferences: [ownedBy(part)] },
  })
  await api.delete(`${path('widgets')}/owner`)
  await gone(api, `${path('gadgets')}/part`)
  await gone(api, `${namespaces}/default/configmaps/leaf`)

  // Namespace deletion.
  await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'closing' } })
  for (const [index, kind] of kinds.entries()) await api.create(path(String(plurals[index]), 'closing'), object(kind, 'content'))
  await api.delete(`${namespaces}/closing`)
  await gone(api, `${namespaces}/closing`)
  for (const plural of plurals) assert.deepEqual((await api.list(`${root}/${plural}`)).items, [])

  for (const plural of plurals) await api.delete(`${definitionsPath}/${plural}.${group}`)
  for (const plural of plurals) await gone(api, `${definitionsPath}/${plural}.${group}`)
  await eventually('the group is forgotten', async () => (await published(api)) === undefined)
  assert.equal((await api.get(path('widgets'))).status, 404)
  const seen = (await watch.rest()).map((event) =>
    event.type === 'ERROR' ? event.object.message : `${event.type} ${event.object.metadata.name}`,
  )
  assert.deepEqual(seen, ['ADDED part', 'DELETED part', 'ADDED content', 'DELETED content'])
})

const [binary] = kubectls().slice(-1)
test('kubectl knows the group while it is served', { skip: !binary && 'no kubectl on PATH or in KUBECTL_PATHS' }, async (t) => {
  const { server, api } = await open(t)
  const port = await openPort(0, (request) => server.fetch(request))
  t.after(() => port.close())
  const home = temporaryDirectory('run-time-group')
  t.after(home.remove)
  const config = join(home.path, 'config')
  await writeKubeconfig(config, port, 'anyone', '')
  assert(binary)
  const kubectl = kubectlWith(binary, config, home.path)
  for (const kind of kinds) await kubectl.pipe(definitionOf(kind), 'create')
  for (const plural of plurals) await kubectl.run('wait', '--for=condition=Established', `crd/${plural}.${group}`)
  await eventually('the group is published', async () => (await published(api))?.kinds.length === kinds.length)
  assert.match(await kubectl.run('api-resources', `--api-group=${group}`), /gadgets[\s\S]*gizmos[\s\S]*widgets/)
  assert.match(await kubectl.pipe(object('Gizmo', 'g'), 'apply'), /gizmo.shop.example.com\/g created/)
  assert.match(await kubectl.run('get', 'gizmos'), /^NAME +AGE\ng /)
  assert.match(await kubectl.run('explain', 'gizmo.spec'), /What a Gizmo is/)
  await kubectl.run('delete', 'crd', ...plurals.map((plural) => `${plural}.${group}`))
  await eventually('the group is forgotten', async () => (await published(api)) === undefined)
  assert.match((await kubectl.try(['get', `gizmos.${group}`])).stderr, /the server doesn't have a resource type/)
})
