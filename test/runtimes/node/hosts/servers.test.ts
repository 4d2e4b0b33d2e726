/** Servers of `apiserver hosts`: made, forked, used and deleted over HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kubectls, kubectlWith } from '../../../support/kubectl.ts'
import { hosts, type TestHosts } from './support.ts'

const list = '/hosts/v1/servers'
const configMaps = (server: string) => `/servers/${server}/api/v1/namespaces/default/configmaps`

let here: TestHosts
before(async () => {
  here = await hosts()
})
after(() => here.close())

test('a server is made, has objects, is forked and deleted', async () => {
  const made = await here.ask('POST', list, { name: 'first' })
  assert.deepEqual([made.code, made.body.name, made.body.url], [201, 'first', `${here.url}/servers/first`])
  const { token } = await here.kubeconfig('first')
  const stored = await here.ask('POST', configMaps('first'), { metadata: { name: 'one' }, data: { a: 'b' } }, { token })
  assert.equal(stored.code, 201)
  assert.equal((await here.ask('POST', `${list}/first/fork`, { name: 'second' })).code, 201)
  const second = await here.kubeconfig('second')
  assert.equal(
    (await here.ask('GET', `${configMaps('second')}/one`, undefined, { token: second.token })).body.metadata.uid,
    stored.body.metadata.uid,
  )
  assert.equal((await here.ask('DELETE', `${configMaps('second')}/one`, undefined, { token: second.token })).code, 200)
  assert.equal((await here.ask('GET', `${configMaps('first')}/one`, undefined, { token })).code, 200)
  const names = (await here.ask('GET', list)).body.servers.map(({ name }) => name)
  assert.deepEqual(names, ['first', 'second'])
  assert.equal((await here.ask('DELETE', `${list}/first`)).code, 200)
  const gone = await here.ask('GET', configMaps('first'), undefined, { token })
  assert.deepEqual([gone.code, gone.body.message], [404, 'servers "first" not found'])
  assert.equal((await here.ask('GET', `${configMaps('second')}?limit=1`, undefined, { token: second.token })).code, 200)
  await here.ask('DELETE', `${list}/second`)
})

test('credentials of a server are worth nothing at another one, and at the interface', async () => {
  await here.ask('POST', list, { name: 'mine' })
  await here.ask('POST', `${list}/mine/fork`, { name: 'yours' })
  const [mine, yours] = [await here.kubeconfig('mine'), await here.kubeconfig('yours')]
  const account = await here.ask(
    'POST',
    '/servers/mine/api/v1/namespaces/default/serviceaccounts/default/token',
    { spec: {} },
    { token: mine.token },
  )
  assert.equal(account.code, 201)
  const review = async (server: string, token: string) =>
    (await here.ask('POST', `/servers/${server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {}, { token })).code
  assert.deepEqual([await review('mine', mine.token), await review('yours', yours.token)], [201, 201])
  assert.equal(await review('mine', account.body.status.token), 201)
  for (const token of [mine.token, account.body.status.token, here.token]) assert.equal(await review('yours', token), 401)
  for (const token of [mine.token, account.body.status.token, ''])
    assert.equal((await here.ask('GET', list, undefined, { token })).code, 401)
  // Without a token: anonymous, with the rights that RBAC gives.
  assert.equal((await here.ask('GET', configMaps('mine'), undefined, { token: '' })).code, 403)
  for (const name of ['mine', 'yours']) await here.ask('DELETE', `${list}/${name}`)
})

test('kubectl', { skip: kubectls().length === 0 && 'no kubectl' }, async () => {
  await here.ask('POST', list, { name: 'desk', manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }] })
  for (const binary of kubectls())
    for (const query of ['', '?by=host']) {
      const { path, config } = await here.kubeconfig('desk', query)
      assert.equal(config.clusters[0]?.cluster.server, query === '' ? `${here.url}/servers/desk` : here.url)
      const kubectl = kubectlWith(binary, path, `${here.directory}/home`)
      assert.match(await kubectl.run('get', 'namespaces', '-o', 'name'), /namespace\/team/)
      await kubectl.run('create', 'configmap', 'one', '--namespace=team', '--from-literal=a=b')
      assert.match(await kubectl.run('get', 'configmaps', '--namespace=team'), /one +1/)
      assert.match(await kubectl.run('explain', 'configmap.data'), /FIELD: data/)
      await kubectl.run('delete', 'configmap', 'one', '--namespace=team')
    }
  await here.ask('DELETE', `${list}/desk`)
})
