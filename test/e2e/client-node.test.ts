/** @kubernetes/client-node over TLS. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Status,
  Watch,
} from '@kubernetes/client-node'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'
import { eventually } from '../support/wait.ts'

const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const
const as = (type: string) => setHeaderOptions('Content-Type', type)

describe('@kubernetes/client-node', () => {
  let daemon: Daemon | undefined
  let config = new KubeConfig()
  let count = 0

  before(async () => {
    daemon = await startDaemon()
    config = configFor(daemon.url)
  })
  after(() => daemon?.stop())

  /** The kubeconfig of the administrator, with another server address. */
  function configFor(server: string): KubeConfig {
    assert(daemon)
    const made = new KubeConfig()
    made.loadFromFile(daemon.kubeconfig)
    const cluster = made.getCurrentCluster()
    assert(cluster)
    made.clusters = [{ ...cluster, server }]
    return made
  }

  async function newNamespace(): Promise<string> {
    const name = `client-${++count}`
    await config.makeApiClient(CoreV1Api).createNamespace({ body: { metadata: { name } } })
    return name
  }

  /** The Status of a refused call. */
  async function refusal(call: Promise<unknown>): Promise<V1Status> {
    const error = await call.then(
      () => assert.fail('was not refused'),
      (reason: unknown) => reason,
    )
    assert(error instanceof ApiException, String(error))
    return (typeof error.body === 'string' ? JSON.parse(error.body) : error.body) as V1Status
  }

  test('creates, reads, replaces, lists and deletes', async () => {
    const core = config.makeApiClient(CoreV1Api)
    const namespace = await newNamespace()
    const created = await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'a', labels: { l: '1' } }, data: { k: '1' } },
    })
    assert.equal(created.metadata?.name, 'a')
    assert(created.metadata?.creationTimestamp instanceof Date)
    const read = await core.readNamespacedConfigMap({ name: 'a', namespace })
    assert.deepEqual(read, created)
    const replaced = await core.replaceNamespacedConfigMap({ name: 'a', namespace, body: { ...read, data: { k: '2' } } })
    assert.deepEqual(replaced.data, { k: '2' })
    const conflict = await refusal(core.replaceNamespacedConfigMap({ name: 'a', namespace, body: { ...read, data: { k: '3' } } }))
    assert.deepEqual([conflict.code, conflict.reason], [409, 'Conflict'])
    const taken = await refusal(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' } } }))
    assert.deepEqual([taken.code, taken.reason], [409, 'AlreadyExists'])
    const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: 'l=1' })
    assert.deepEqual(
      items.map(({ metadata }) => metadata?.name),
      ['a'],
    )
    const deleted = await core.deleteNamespacedConfigMap({ name: 'a', namespace })
    assert.equal(deleted.status, 'Success')
    const missing = await refusal(core.readNamespacedConfigMap({ name: 'a', namespace }))
    assert.deepEqual([missing.code, missing.reason, missing.message], [404, 'NotFound', 'configmaps "a" not found'])
    const invalid = await refusal(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'A_b' } } }))
    assert.deepEqual([invalid.code, invalid.reason, invalid.details?.causes?.[0]?.field], [422, 'Invalid', 'metadata.name'])
  })

  test('pages through a list', async () => {
    const core = config.makeApiClient(CoreV1Api)
    const namespace = await newNamespace()
    const names = Array.from({ length: 25 }, (_, i) => `s${String(i).padStart(2, '0')}`)
    await Promise.all(names.map((name) => core.createNamespacedSecret({ namespace, body: { metadata: { name } } })))
    const seen: string[] = []
    let next: string | undefined
    do {
      const page = await core.listNamespacedSecret({ namespace, limit: 10, ...(next !== undefined && { _continue: next }) })
      seen.push(...page.items.map(({ metadata }) => metadata?.name ?? ''))
      next = page.metadata?._continue
    } while (next)
    assert.deepEqual(seen, names)
  })

  test('patches of every type', async () => {
    const core = config.makeApiClient(CoreV1Api)
    const apps = config.makeApiClient(AppsV1Api)
    const namespace = await newNamespace()
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' }, data: { k: '1', drop: 'x' } } })
    const target = { name: 'a', namespace }
    const json = await core.patchNamespacedConfigMap({ ...target, body: [{ op: 'replace', path: '/data/k', value: '2' }] }, as(types.json))
    assert.deepEqual(json.data, { k: '2', drop: 'x' })
    const merge = await core.patchNamespacedConfigMap({ ...target, body: { data: { drop: null, add: 'y' } } }, as(types.merge))
    assert.deepEqual(merge.data, { k: '2', add: 'y' })
    const labels = { app: 'web' }
    const container = { name: 'web', image: 'nginx' }
    await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
      },
    })
    const side = { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } }
    const strategic = await apps.patchNamespacedDeployment({ name: 'd', namespace, body: side }, as(types.strategic))
    assert.deepEqual(strategic.spec?.template.spec?.containers.map(({ name }) => name).toSorted(), ['side', 'web'])
    const scaled = await apps.patchNamespacedDeploymentScale({ name: 'd', namespace, body: { spec: { replicas: 7 } } }, as(types.merge))
    assert.equal(scaled.spec?.replicas, 7)
    const objects = KubernetesObjectApi.makeApiClient(config)
    const spec: V1ConfigMap = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'applied', namespace }, data: { k: 'v' } }
    const applied = (await objects.patch(spec, undefined, undefined, 'tester', true, PatchStrategy.ServerSideApply)) as V1ConfigMap
    assert.deepEqual(applied.data, { k: 'v' })
    assert.equal(applied.metadata?.managedFields?.[0]?.manager, 'tester')
  })

  test('watches from a resourceVersion', async () => {
    const core = config.makeApiClient(CoreV1Api)
    const namespace = await newNamespace()
    const { metadata } = await core.listNamespacedSecret({ namespace })
    await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'a' } } })
    await core.patchNamespacedSecret({ name: 'a', namespace, body: { metadata: { labels: { l: '1' } } } }, as(types.merge))
    await core.deleteNamespacedSecret({ name: 'a', namespace })
    const events: string[] = []
    const query = { resourceVersion: metadata?.resourceVersion, timeoutSeconds: 2 }
    const ended = new Promise<unknown>((resolve, reject) => {
      new Watch(config)
        .watch(
          `/api/v1/namespaces/${namespace}/secrets`,
          query,
          (phase: string, object: V1ConfigMap) => events.push(`${phase} ${object.metadata?.name}`),
          resolve,
        )
        .catch(reject)
    })
    assert.equal(await ended, null)
    assert.deepEqual(events, ['ADDED a', 'MODIFIED a', 'DELETED a'])
  })

  test('an informer over 1,000 objects converges to the content of the server despite cut connections', {
    timeout: 3_600_000,
  }, async () => {
    assert(daemon)
    const core = config.makeApiClient(CoreV1Api)
    const namespace = await newNamespace()
    const total = 1000
    const writers = 10
    const make = (index: number) =>
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name: `c${index}`, labels: { mine: 'yes' } }, data: { n: '0' } } })
    for (let from = 0; from < total; from += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => make(from + i)))

    const proxy = await tcpProxy(daemon.port)
    const distant = configFor(`https://127.0.0.1:${proxy.port}`)
    const distantCore = distant.makeApiClient(CoreV1Api)
    const informer = makeInformer(
      distant,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => distantCore.listNamespacedConfigMap({ namespace, labelSelector: 'mine=yes' }),
      'mine=yes',
    )
    let restarts = 0
    let stopped = false
    const versions = new Map<string, bigint>()
    informer.on('change', ({ metadata }) => {
      const [name, version] = [metadata?.name ?? '', BigInt(metadata?.resourceVersion ?? 0)]
      assert(version >= (versions.get(name) ?? 0n), `${name} went back to ${version}`)
      versions.set(name, version)
    })
    informer.on('error', () => {
      restarts++
      if (!stopped) setTimeout(() => informer.start(), 20)
    })
    try {
      await informer.start()
      await eventually('the first list', async () => informer.list(namespace).length === total)

      const work = Array.from({ length: writers }, async (_, writer) => {
        for (let round = 1; round <= 30; round++) {
          const name = `c${writer * (total / writers) + round}`
          await core.patchNamespacedConfigMap({ name, namespace, body: { data: { n: `${round}` } } }, as(types.merge))
          if (round % 10 === 0) await core.deleteNamespacedConfigMap({ name, namespace })
          if (round % 15 === 0) await make(total + writer * 100 + round)
          if (writer === 0 && round % 8 === 0) proxy.cut()
        }
      })
      await Promise.all(work)
      proxy.cut()
      await make(total * 10)
      const expected = await core.listNamespacedConfigMap({ namespace, labelSelector: 'mine=yes' })
      const flat = (items: readonly V1ConfigMap[]) =>
        items.map(({ metadata, data }) => `${metadata?.name} ${metadata?.resourceVersion} ${data?.['n']}`).toSorted()
      await eventually(
        'the cache agrees',
        async () => informer.list(namespace).length === expected.items.length && informer.get(`c${total * 10}`, namespace),
      )
      assert.deepEqual(flat([...informer.list(namespace)]), flat(expected.items))
      assert(restarts >= 2, `${restarts} restarts`)
    } finally {
      stopped = true
      await informer.stop()
      await proxy.close()
    }
  })
})
