/** Custom resources with @kubernetes/client-node: definitions, objects, patches, subresources, a watch and an informer. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ApiException,
  ApiextensionsV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { eventually } from '../support/wait.ts'

interface Widget extends KubernetesObject {
  readonly spec?: { readonly size?: string; readonly replicas?: number; readonly parts?: readonly { readonly name: string }[] }
  readonly status?: { readonly phase?: string; readonly replicas?: number }
}

const group = 'shop.example.com'
const on = { group, version: 'v1', namespace: 'default', plural: 'widgets' }
const part = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, count: { type: 'integer' } } }
const openAPIV3Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'string', _enum: ['small', 'large'] },
        replicas: { type: 'integer', minimum: 0, _default: 1 },
        parts: { type: 'array', items: part, x_kubernetes_list_type: 'map', x_kubernetes_list_map_keys: ['name'] },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
  },
}
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ],
  },
}
const widget = (name: string, spec: object = {}) => ({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec })

describe('@kubernetes/client-node with custom resources', () => {
  let daemon: Daemon | undefined
  const config = new KubeConfig()
  const widgets = () => config.makeApiClient(CustomObjectsApi)
  const definitions = () => config.makeApiClient(ApiextensionsV1Api)
  const read = (name: string) => widgets().getNamespacedCustomObject({ ...on, name }) as Promise<Widget>

  before(async () => {
    daemon = await startDaemon({ flags: ['--data-dir=:memory:'] })
    config.loadFromFile(daemon.kubeconfig)
    const made = await definitions().createCustomResourceDefinition({ body: definition })
    assert.equal(made.spec.names.listKind, 'WidgetList')
    await eventually('it is established', async () => {
      const { status } = await definitions().readCustomResourceDefinition({ name: definition.metadata.name })
      return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')
    })
  })
  after(() => daemon?.stop())

  test('creates, reads, lists, replaces and deletes', async () => {
    const made = (await widgets().createNamespacedCustomObject({ ...on, body: widget('a', { size: 'small' }) })) as Widget
    assert.deepEqual(made.spec, { size: 'small', replicas: 1 })
    const replaced = (await widgets().replaceNamespacedCustomObject({
      ...on,
      name: 'a',
      body: { ...made, spec: { size: 'large' } },
    })) as Widget
    assert.deepEqual(replaced.spec, { size: 'large', replicas: 1 })
    const stale = widgets().replaceNamespacedCustomObject({ ...on, name: 'a', body: made })
    await assert.rejects(stale, (error) => error instanceof ApiException && error.code === 409)
    const refused = widgets().createNamespacedCustomObject({ ...on, body: widget('b', { size: 'huge' }) })
    await assert.rejects(refused, (error) => error instanceof ApiException && error.code === 422 && /spec\.size/.test(String(error.body)))
    const list = (await widgets().listNamespacedCustomObject(on)) as KubernetesListObject<Widget>
    assert.deepEqual([list.kind, list.items.map(({ metadata }) => metadata?.name)], ['WidgetList', ['a']])
    assert.equal(
      ((await widgets().listCustomObjectForAllNamespaces({ group, version: 'v1', plural: 'widgets' })) as typeof list).items.length,
      1,
    )
    await widgets().deleteNamespacedCustomObject({ ...on, name: 'a' })
    await assert.rejects(read('a'), (error) => error instanceof ApiException && error.code === 404)
  })

  test('patches of every type except strategic merge, and apply', async () => {
    await widgets().createNamespacedCustomObject({ ...on, body: widget('p', { parts: [{ name: 'x' }] }) })
    const patch = async (strategy: string, body: unknown, more: object = {}) =>
      (await widgets().patchNamespacedCustomObject(
        { ...on, name: 'p', body, ...more },
        setHeaderOptions('Content-Type', strategy),
      )) as Widget
    assert.equal((await patch(PatchStrategy.MergePatch, { spec: { size: 'small' } })).spec?.size, 'small')
    assert.equal((await patch(PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/size', value: 'large' }])).spec?.size, 'large')
    const applied = await patch(PatchStrategy.ServerSideApply, widget('p', { parts: [{ name: 'y' }] }), {
      fieldManager: 'test',
      force: true,
    })
    assert.deepEqual(applied.spec?.parts, [{ name: 'x' }, { name: 'y' }])
    const strategic = patch(PatchStrategy.StrategicMergePatch, { spec: { size: 'small' } })
    await assert.rejects(strategic, (error) => error instanceof ApiException && error.code === 415)
  })

  test('status and scale are separate subresources', async () => {
    await widgets().createNamespacedCustomObject({ ...on, body: widget('s') })
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
    const at = { ...on, name: 's' }
    const body = { status: { phase: 'Ready', replicas: 1 }, spec: { size: 'large' } }
    const reported = (await widgets().patchNamespacedCustomObjectStatus({ ...at, body }, merge)) as Widget
    assert.deepEqual([reported.status, reported.spec], [{ phase: 'Ready', replicas: 1 }, { replicas: 1 }])
    const scale = (await widgets().getNamespacedCustomObjectScale(at)) as { kind: string; spec: object; status: object }
    assert.deepEqual([scale.kind, scale.spec, scale.status], ['Scale', { replicas: 1 }, { replicas: 1 }])
    await widgets().patchNamespacedCustomObjectScale({ ...at, body: { spec: { replicas: 4 } } }, merge)
    assert.equal((await read('s')).spec?.replicas, 4)
  })

  test('watches, and runs an informer', async () => {
    const path = `/apis/${group}/v1/namespaces/default/widgets`
    const seen: string[] = []
    const request = await new Watch(config).watch(
      path,
      { fieldSelector: 'metadata.name=w' },
      (type: string, { metadata }: Widget) => seen.push(`${type} ${metadata?.name}`),
      () => undefined,
    )
    const informer = makeInformer<Widget>(
      config,
      path,
      async () => (await widgets().listNamespacedCustomObject(on)) as KubernetesListObject<Widget>,
    )
    const known: string[] = []
    informer.on('add', ({ metadata }) => known.push(metadata?.name ?? ''))
    await informer.start()
    await widgets().createNamespacedCustomObject({ ...on, body: widget('w') })
    await eventually('the informer has it', async () => known.includes('w'))
    await widgets().deleteNamespacedCustomObject({ ...on, name: 'w' })
    await eventually('the watch has reported both', async () => seen.length === 2 && seen)
    assert.deepEqual(seen, ['ADDED w', 'DELETED w'])
    await informer.stop()
    request.abort()
  })

  test('deleting a definition deletes its objects', async () => {
    await widgets().deleteCollectionNamespacedCustomObject(on)
    await widgets().createNamespacedCustomObject({ ...on, body: widget('last') })
    await definitions().deleteCustomResourceDefinition({ name: definition.metadata.name })
    await eventually('they are deleted', () =>
      read('last').then(
        () => false,
        (error: unknown) => error instanceof ApiException && error.code === 404,
      ),
    )
  })
})
