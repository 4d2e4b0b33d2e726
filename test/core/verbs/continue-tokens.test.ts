/** Clients behind a balancer take continue tokens from kube-apiserver to this server and back (apiserver/pkg/storage/continue.go). */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { KeyValueStore } from '../../../core/ports.ts'
import { nodeClock } from '../../../runtimes/node/clock.ts'
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { consoleLogger } from '../../../runtimes/web/ports.ts'
import { definitionsPath, smallDefinition } from '../../conformance/definitions.ts'
import { configMap } from '../../support/api.ts'
import { startEtcd } from '../../support/etcd.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const encode = (token: object) => Buffer.from(JSON.stringify(token)).toString('base64url')
const decode = (token: string) => JSON.parse(Buffer.from(token, 'base64url').toString())
const names = ['a', 'a-1', 'b', 'b.c', 'd']

async function etcdStore(t: TestContext): Promise<KeyValueStore> {
  const etcd = await startEtcd()
  const store = await openEtcdStore({ servers: etcd.servers, clock: nodeClock, logger: consoleLogger })
  t.after(async () => {
    await store.close()
    await etcd.stop()
  })
  return store
}

const custom = (kind: string) => (name: string) => ({ apiVersion: 'example.com/v1', kind, metadata: { name } })

const places = {
  'in a namespace': ['/api/v1/namespaces/default/configmaps', (name: string) => configMap(name), ''],
  'in all namespaces': ['/api/v1/configmaps', undefined, 'default/'],
  'without namespaces': ['/apis/node.k8s.io/v1/runtimeclasses', (name: string) => ({ metadata: { name }, handler: 'x' }), ''],
  'of events': [
    '/api/v1/namespaces/default/events',
    (name: string) => ({ metadata: { name }, involvedObject: { namespace: 'default' } }),
    '',
  ],
  'with a converted version': [
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    (name: string) => ({
      metadata: { name },
      spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
    }),
    '',
  ],
  'of a custom resource': ['/apis/example.com/v1/namespaces/default/things', custom('Thing'), ''],
  'of a custom resource without namespaces': ['/apis/example.com/v1/wides', custom('Wide'), ''],
} as const

for (const [where, open] of Object.entries({ memory: async () => memoryStore(), etcd: etcdStore }))
  for (const watchCache of [true, false])
    describe(`continue tokens in ${where}, ${watchCache ? 'with' : 'without'} the watch cache`, () => {
      test('have the form of the reference, and its tokens of either form are continued', async (t) => {
        const { api } = await startInProcess({ store: await open(t), watchCache, controllers: [] }, t)
        await api.create(definitionsPath, smallDefinition('example.com', 'Thing'))
        await api.create(definitionsPath, smallDefinition('example.com', 'Wide', { scope: 'Cluster' }))
        for (const [title, [path, make, below]] of Object.entries(places)) {
          await eventually(path, async () => (await api.get(path)).status === 200)
          if (make) for (const name of names) await api.create(path, make(name))
          const within = make ? '' : '&fieldSelector=metadata.namespace=default'
          const page = async (rest: string) => {
            const { items, metadata } = await api.list(`${path}?limit=2${within}${rest}`)
            return { names: items.map((item) => item.metadata.name), next: metadata.continue }
          }
          for (const selector of ['', '&labelSelector=!none']) {
            const first = await page(selector)
            assert.deepEqual(first.names, ['a', 'a-1'], title)
            const { rv, ...token } = decode(first.next ?? '')
            assert.deepEqual(token, { v: 'meta.k8s.io/v1', start: `${watchCache && title !== 'of events' ? '/' : ''}${below}a-1\0` }, title)
            assert.deepEqual((await page(`${selector}&continue=${first.next}`)).names, ['b', 'b.c'], title)
            for (const start of [`/${below}a-1\0`, `${below}a-1\0`])
              for (const at of [rv, -1]) {
                const second = await page(`${selector}&continue=${encode({ v: 'meta.k8s.io/v1', rv: at, start })}`)
                assert.deepEqual(second.names, ['b', 'b.c'], `${title}: ${start}, ${at}`)
                assert.deepEqual((await page(`${selector}&continue=${second.next}`)).names, ['d'], title)
              }
          }
        }
      })
    })
