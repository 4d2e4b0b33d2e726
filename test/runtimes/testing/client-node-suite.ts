/**
 * The JavaScript client with a server in the same process, as tests of node:test. `declareClientNode` gets the module, so that Nodes that can run
 * TypeScript try it with other releases.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type * as module from '@kubernetes/client-node'
import { type Port, startTestServer, type TestServer } from '../../../runtimes/testing/index.ts'
import { within } from '../../support/wait.ts'

const namespace = 'default'
const body = (name: string) => ({ metadata: { name } })

type Client = typeof module

/** Declares the tests of one release. */
export function declareClientNode(client: Client): void {
  let server: TestServer
  let port: Port
  let tlsPort: Port
  before(async () => {
    server = await startTestServer({ authorizationModes: ['RBAC'] })
    port = await server.listen()
    tlsPort = await server.listen({ tls: true })
  })
  after(() => server.close())

  const ways: readonly (readonly [string, () => Promise<module.KubeConfig>])[] = [
    ['without a port', () => server.kubeConfig<module.KubeConfig>(client)],
    ['over a port', async () => port.kubeConfig<module.KubeConfig>(client)],
    ['over a port with TLS', async () => tlsPort.kubeConfig<module.KubeConfig>(client)],
  ]
  for (const [way, configOf] of ways) {
    const unique = way.replaceAll(' ', '-').toLowerCase()

    test(`${way}: creates, lists and gets refusals`, async () => {
      const core = (await configOf()).makeApiClient(client.CoreV1Api)
      const created = await core.createNamespacedConfigMap({ namespace, body: body(unique) })
      assert(created.metadata?.creationTimestamp instanceof Date, 'a date')
      const { items } = await core.listNamespacedConfigMap({ namespace })
      assert(
        items.some(({ metadata }) => metadata?.name === unique),
        'the list contains it',
      )
      await assert.rejects(
        core.createNamespacedConfigMap({ namespace, body: body(unique) }),
        (error) => error instanceof client.ApiException && error.code === 409,
      )
    })

    test(`${way}: generic objects`, async () => {
      const objects = client.KubernetesObjectApi.makeApiClient(await configOf())
      const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${unique}-secret`, namespace } }
      await objects.create(object)
      assert.equal((await objects.read(object)).kind, 'Secret')
    })

    test(`${way}: an informer sees changes`, async () => {
      const config = await configOf()
      const core = config.makeApiClient(client.CoreV1Api)
      const informer = client.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
        core.listNamespacedConfigMap({ namespace }),
      )
      const name = `${unique}-informed`
      const heard = new Promise<void>((resolve) => {
        informer.on('add', ({ metadata }) => metadata?.name === name && resolve())
      })
      await informer.start()
      await core.createNamespacedConfigMap({ namespace, body: body(name) })
      await within('the event', heard)
      await informer.stop()
    })
  }

  test('without a port, impersonating another user', async () => {
    const core = (await server.kubeConfig<module.KubeConfig>(client, { name: 'nobody' })).makeApiClient(client.CoreV1Api)
    await assert.rejects(core.listNamespacedSecret({ namespace }), (error) => error instanceof client.ApiException && error.code === 403)
  })
}
