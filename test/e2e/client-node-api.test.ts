/** Every API class of @kubernetes/client-node, and its patch types, with a server that serves all versions. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as library from '@kubernetes/client-node'
import {
  ApiException,
  AppsV1Api,
  type Configuration,
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
  type V1ManagedFieldsEntry,
  type V1Status,
} from '@kubernetes/client-node'
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import { apiVersionOf, type ResourceDefinition } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { allKindsFlags } from '../support/all-kinds.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { minimalObject } from '../support/minimal-objects.ts'
import { eventually } from '../support/wait.ts'

type Method = (parameters: object, options?: object) => Promise<unknown>
type ApiClass = new (configuration: Configuration) => library.ApiType
interface HttpInfo {
  readonly httpStatusCode: number
  readonly data: KubernetesObject & { readonly items?: readonly unknown[]; readonly spec?: object }
}

const platform = createPlatform()
const definitions = builtInResources.map((each) => bind(each, platform))
/** API classes of the library by name: one per group (`apps`) and one per group version (`apps/v1`). */
const classes = Object.entries<unknown>(library).filter(
  (entry): entry is [string, ApiClass] => typeof entry[1] === 'function' && /^[A-Z].*Api$/.test(entry[0]),
)
const versioned = classes.filter(([name]) => /V\d\w*Api$/.test(name))
/** Classes and methods for versions removed before 1.36: the library is older. */
const gone = ['FlowcontrolApiserverV1beta3Api', 'StorageV1alpha1Api', 'StoragemigrationV1alpha1Api']
const goneKinds = ['certificates.k8s.io/v1alpha1 PodCertificateRequest']

/** The methods of an API class by name, bound to an instance. */
function methodsOf(instance: object): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>()
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(instance))) {
    const value: unknown = Reflect.get(instance, name)
    if (name !== 'constructor' && typeof value === 'function') methods.set(name, value.bind(instance) as Method)
  }
  return methods
}

/**
 * The kind in a method name: `PodDisruptionBudget` for `listNamespacedPodDisruptionBudget` and
 * `listPodDisruptionBudgetForAllNamespaces`.
 */
const kindIn = (method: string, verb: string) =>
  method
    .slice(verb.length)
    .replace(/^Namespaced/, '')
    .replace(/ForAllNamespaces$/, '')

async function call(methods: ReadonlyMap<string, Method>, name: string, parameters: object, options?: object): Promise<HttpInfo> {
  const method = methods.get(`${name}WithHttpInfo`)
  assert(method, name)
  try {
    return (await method(parameters, options)) as HttpInfo
  } catch (error) {
    throw new Error(`${name}: ${error instanceof ApiException ? `${error.code} ${JSON.stringify(error.body)}` : String(error)}`)
  }
}

/** Kinds whose status is written by the server's controllers as soon as an object exists. */
const completed = ['APIService', 'CustomResourceDefinition', 'FlowSchema', 'ResourceQuota', 'ValidatingAdmissionPolicy']
const hasStatus = (object: KubernetesObject) => object.metadata?.managedFields?.some(({ subresource }) => subresource === 'status')

describe('@kubernetes/client-node, class by class', () => {
  let daemon: Daemon | undefined
  const config = new KubeConfig()

  before(async () => {
    daemon = await startDaemon({ flags: [...allKindsFlags, '--data-dir=:memory:'] })
    config.loadFromFile(daemon.kubeconfig)
  })
  after(() => daemon?.stop())

  /** Served group versions, such as `apps/v1`. */
  async function served(): Promise<ReadonlySet<string>> {
    const { groups } = await config.makeApiClient(library.ApisApi).getAPIVersions()
    return new Set(['v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))])
  }

  /** Methods and group version of an API class; undefined when the server does not serve it. */
  async function open([name, api]: readonly [string, ApiClass]) {
    const methods = methodsOf(config.makeApiClient(api))
    const resources = methods.get('getAPIResources')
    assert(resources, `${name} has no getAPIResources`)
    const { groupVersion } = (await resources({}).catch(() => ({ groupVersion: '' }))) as { groupVersion: string }
    return groupVersion === '' ? undefined : { methods, groupVersion }
  }

  test('the server serves what the library knows', async () => {
    const missing: string[] = []
    const found = new Set<string>()
    for (const each of versioned) {
      const opened = await open(each)
      if (opened) found.add(opened.groupVersion)
      else missing.push(each[0])
    }
    const versions = await served()
    assert.deepEqual(
      [...found].filter((each) => !versions.has(each)),
      [],
    )
    assert.deepEqual(
      missing.filter((name) => !gone.includes(name)),
      [],
    )
  })

  test('every group has discovery documents', async () => {
    let groups = 0
    for (const [name, api] of classes) {
      const method = methodsOf(config.makeApiClient(api)).get('getAPIGroup')
      if (method === undefined) continue
      const { kind, preferredVersion } = (await method({})) as { kind: string; preferredVersion: { groupVersion: string } }
      assert.equal(kind, 'APIGroup', name)
      assert((await served()).has(preferredVersion.groupVersion), `${name}: ${preferredVersion.groupVersion} is not served`)
      groups++
    }
    assert(groups > 15, `${groups} groups`)
  })

  for (const each of versioned.filter(([name]) => !gone.includes(name)))
    test(each[0], async (t) => {
      const opened = await open(each)
      if (!opened) return t.skip('not served')
      const { methods, groupVersion } = opened
      const lists = [...methods.keys()].filter(
        (name) =>
          name.startsWith('list') && !name.endsWith('WithHttpInfo') && !goneKinds.includes(`${groupVersion} ${kindIn(name, 'list')}`),
      )
      for (const name of lists) {
        const { httpStatusCode, data } = await call(methods, name, { namespace: 'default' })
        assert.equal(httpStatusCode, 200, name)
        assert.equal(data.kind, `${kindIn(name, 'list')}List`, name)
        assert.equal(data.apiVersion, groupVersion, name)
        assert(Array.isArray(data.items), name)
      }
      for (const definition of definitions)
        if (apiVersionOf(definition) === groupVersion && lists.some((name) => kindIn(name, 'list') === definition.kind))
          await live(methods, definition)
    })

  /** Runs create, read, apply, patch, replace and delete of a kind with the library. */
  async function live(methods: ReadonlyMap<string, Method>, definition: ResourceDefinition): Promise<void> {
    const { kind, namespaced } = definition
    const method = (verb: string) => `${verb}${namespaced ? 'Namespaced' : ''}${kind}`
    if (!methods.has(method('create'))) return
    const body = minimalObject(definition, `of-${kind.toLowerCase()}`)
    const target = { name: body.metadata.name, ...(namespaced && { namespace: 'default' }) }
    const created = await call(methods, method('create'), { ...target, body })
    assert.equal(created.httpStatusCode, 201, kind)
    const read = await call(methods, method('read'), target)
    assert.equal(read.data.kind, kind)
    if (completed.includes(kind)) {
      const written = await eventually(`status of ${kind}`, async () => {
        const { data } = await call(methods, method('read'), target)
        return hasStatus(data) && data
      })
      assert.deepEqual(written.spec, created.data.spec, kind)
    } else assert.deepEqual(read.data, created.data, kind)
    const labels = { metadata: { labels: { patched: 'yes' } } }
    for (const type of [PatchStrategy.MergePatch, PatchStrategy.StrategicMergePatch])
      await call(methods, method('patch'), { ...target, body: labels }, setHeaderOptions('Content-Type', type))
    const applied = { kind, apiVersion: body.apiVersion, metadata: { name: target.name, labels: { applied: 'yes' } } }
    const answer = await call(
      methods,
      method('patch'),
      { ...target, body: applied, fieldManager: 'smoke' },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    )
    const { metadata } = answer.data as KubernetesObject
    assert.deepEqual([metadata?.labels?.['patched'], metadata?.labels?.['applied']], ['yes', 'yes'], kind)
    const replaced = await call(methods, method('replace'), { ...target, body: answer.data })
    assert.deepEqual(replaced.data, answer.data, `${kind}: a replacement by itself`)
    assert.equal((await call(methods, method('delete'), { ...target, gracePeriodSeconds: 0 })).httpStatusCode, 200, kind)
  }
})

describe('@kubernetes/client-node, writing', () => {
  let daemon: Daemon | undefined
  const config = new KubeConfig()
  const namespace = 'writing'
  const labels = { app: 'web' }

  before(async () => {
    daemon = await startDaemon({ flags: ['--data-dir=:memory:'] })
    config.loadFromFile(daemon.kubeconfig)
    await config.makeApiClient(CoreV1Api).createNamespace({ body: { metadata: { name: namespace } } })
  })
  after(() => daemon?.stop())

  async function refusal(promise: Promise<unknown>): Promise<V1Status> {
    const error = await promise.then(
      () => assert.fail('was not refused'),
      (reason: unknown) => reason,
    )
    assert(error instanceof ApiException, String(error))
    return (typeof error.body === 'string' ? JSON.parse(error.body) : error.body) as V1Status
  }

  const deployment = (name: string, containers: readonly object[]) => ({
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  })

  test('applies: creates, changes nothing, conflicts, forces, removes fields', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config)
    const apply = (object: KubernetesObject, manager: string, force?: boolean) =>
      objects.patch(object, undefined, undefined, manager, force, PatchStrategy.ServerSideApply)
    const map = (data?: object): KubernetesObject & { data?: object } => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'applied', namespace },
      ...(data && { data }),
    })
    const created = await apply(map({ a: '1', b: '1' }), 'one')
    const again = await apply(map({ a: '1', b: '1' }), 'one')
    assert.equal(again.metadata?.resourceVersion, created.metadata?.resourceVersion)
    const conflict = await refusal(apply(map({ a: '2', b: '2' }), 'two'))
    assert.deepEqual([conflict.code, conflict.reason], [409, 'Conflict'])
    assert.equal(conflict.message, 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b')
    assert.deepEqual(
      conflict.details?.causes?.map(({ reason, field, message }) => [reason, field, message]),
      [
        ['FieldManagerConflict', '.data.a', 'conflict with "one"'],
        ['FieldManagerConflict', '.data.b', 'conflict with "one"'],
      ],
    )
    await apply(map({ a: '2' }), 'two', true)
    const released = (await apply(map({ b: '1' }), 'one')) as ReturnType<typeof map>
    assert.deepEqual(released.data, { a: '2', b: '1' })
    const dropped = (await apply(map(), 'two')) as ReturnType<typeof map>
    assert.deepEqual(dropped.data, { b: '1' })
    const managers = (dropped.metadata as { managedFields?: readonly V1ManagedFieldsEntry[] }).managedFields
    assert.deepEqual(
      managers?.map(({ manager, operation }) => [manager, operation]),
      [['one', 'Apply']],
    )
  })

  test('patches of every type, subresources too', async () => {
    const apps = config.makeApiClient(AppsV1Api)
    const target = { name: 'd', namespace }
    const as = (type: string) => setHeaderOptions('Content-Type', type)
    await apps.createNamespacedDeployment({ namespace, body: deployment('d', [{ name: 'web', image: 'nginx' }]) as never })
    const names = ({ spec }: Awaited<ReturnType<typeof apps.readNamespacedDeployment>>) =>
      spec?.template.spec?.containers.map(({ name, image }) => `${name}=${image}`)
    const template = (containers: readonly object[]) => ({ spec: { template: { spec: { containers } } } })
    const strategic = { ...target, body: template([{ name: 'side', image: 'busybox' }]) }
    assert.deepEqual(names(await apps.patchNamespacedDeployment(strategic, as(PatchStrategy.StrategicMergePatch))), [
      'side=busybox',
      'web=nginx',
    ])
    const directive = { ...target, body: template([{ name: 'side', $patch: 'delete' }]) }
    assert.deepEqual(names(await apps.patchNamespacedDeployment(directive, as(PatchStrategy.StrategicMergePatch))), ['web=nginx'])
    const merge = { ...target, body: template([{ name: 'only', image: 'i' }]) }
    assert.deepEqual(names(await apps.patchNamespacedDeployment(merge, as(PatchStrategy.MergePatch))), ['only=i'])
    const path = '/spec/template/spec/containers/0'
    const json = {
      ...target,
      body: [
        { op: 'test', path: `${path}/name`, value: 'only' },
        { op: 'copy', from: path, path: '/spec/template/spec/containers/-' },
        { op: 'replace', path: '/spec/template/spec/containers/1/name', value: 'copy' },
      ],
    }
    assert.deepEqual(names(await apps.patchNamespacedDeployment(json, as(PatchStrategy.JsonPatch))), ['only=i', 'copy=i'])
    const wrong = await refusal(apps.patchNamespacedDeployment(json, as(PatchStrategy.MergePatch)))
    assert.deepEqual([wrong.code, wrong.reason], [400, 'BadRequest'])
    const failed = { ...target, body: [{ op: 'test', path: '/metadata/name', value: 'other' }] }
    assert.equal((await refusal(apps.patchNamespacedDeployment(failed, as(PatchStrategy.JsonPatch)))).code, 422)
    assert.equal((await refusal(apps.patchNamespacedDeployment(merge, as('text/plain')))).code, 415)

    const status = { ...target, body: { spec: { replicas: 9 }, status: { replicas: 3, observedGeneration: 1 } } }
    const observed = await apps.patchNamespacedDeploymentStatus(status, as(PatchStrategy.MergePatch))
    assert.deepEqual([observed.spec?.replicas, observed.status?.replicas], [1, 3])
    const scale = { ...target, body: { spec: { replicas: 4 } } }
    const scaled = await apps.patchNamespacedDeploymentScale(scale, as(PatchStrategy.MergePatch))
    assert.deepEqual([scaled.spec?.replicas, scaled.status?.replicas, scaled.status?.selector], [4, 3, 'app=web'])
  })
})
