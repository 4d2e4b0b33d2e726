/** Servers of `apiserver hosts` that nobody asks: they leave memory, and the next request wakes them; expired ones are deleted. */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { eventually } from '../../../support/wait.ts'
import { hosts, type TestHosts } from './support.ts'

const list = '/hosts/v1/servers'
const configMaps = '/api/v1/namespaces/default/configmaps'

const asleep = (here: TestHosts, name: string) =>
  eventually(`${name} sleeps`, async () => (await here.ask('GET', `${list}/${name}`)).body.awake === false)

async function withHosts(flags: readonly string[], use: (here: TestHosts) => Promise<void>): Promise<void> {
  const here = await hosts('--idle-timeout=40ms', ...flags)
  try {
    await use(here)
  } finally {
    await here.close()
  }
}

const temporary = temporaryDirectory('hosts')
const kinds = { 'in memory': [], 'with a data directory': [`--data-dir=${join(temporary.path, 'data')}`] }

test('controllers do their first work once: the first server with its options starts after it, as all later ones', async () => {
  await withHosts([], async (here) => {
    // Options that no other test has.
    for (const name of ['first', 'second']) await here.ask('POST', list, { name, options: { eventTtl: 1234 } })
    const written = async (server: string) => {
      await here.ask('POST', `${list}/${server}/fork`, { name: `fork-of-${server}` })
      const { token } = await here.kubeconfig(`fork-of-${server}`)
      const ask = (path: string) => here.ask('GET', `/servers/fork-of-${server}${path}`, undefined, { token })
      const accounts = await ask('/api/v1/serviceaccounts')
      const roles = await ask('/apis/rbac.authorization.k8s.io/v1/clusterroles/admin')
      return [accounts.body.items.map(({ metadata }) => metadata.name), JSON.parse(roles.text).rules.length]
    }
    const [accounts, rules] = await written('first')
    assert.ok((accounts as string[]).includes('default') && rules > 0)
    assert.deepEqual([accounts, rules], await written('second'))
  })
})

test('with a data directory: a server whose controllers had no work left wakes without them; what a crash left, they do', async () => {
  const data = join(temporary.path, 'settled')
  const described = () => JSON.parse(readFileSync(join(data, 'servers/one/server.json'), 'utf8')) as { readonly settled?: number }
  const hasAccount = (here: TestHosts, namespace: string) =>
    eventually(`the account of ${namespace}`, async () => {
      const { token } = await here.kubeconfig('one')
      return (
        (await here.ask('GET', `/servers/one/api/v1/namespaces/${namespace}/serviceaccounts/default`, undefined, { token })).code === 200
      )
    })
  const make = async (here: TestHosts, namespace: string) => {
    const { token } = await here.kubeconfig('one')
    const { code } = await here.ask('POST', '/servers/one/api/v1/namespaces', { metadata: { name: namespace } }, { token })
    assert.equal(code, 201)
  }
  /** The revision that is noted when it sleeps. On a busy machine it may sleep before its controllers are done: then they go on when it is woken. */
  async function settledAfter(here: TestHosts, revision: number): Promise<number> {
    for (;;) {
      await asleep(here, 'one')
      const { settled = 0 } = described()
      if (settled > revision) return settled
      await hasAccount(here, 'first')
    }
  }
  await withHosts([`--data-dir=${data}`, '--idle-timeout=3s'], async (here) => {
    await here.ask('POST', list, { name: 'one' })
    const { settled: made = 0 } = described()
    await make(here, 'first')
    await hasAccount(here, 'first')
    const settled = await settledAfter(here, made)
    await make(here, 'second')
    // As the end of the process would leave it.
    cpSync(join(data, 'servers'), join(temporary.path, 'crashed', 'servers'), { recursive: true })
    assert.equal(described().settled, settled)
    await hasAccount(here, 'second')
    assert.ok((await settledAfter(here, settled)) > settled)
  })
  await withHosts([`--data-dir=${join(temporary.path, 'crashed')}`, '--idle-timeout=10m'], async (here) => {
    await hasAccount(here, 'second')
  })
})

for (const [kind, flags] of Object.entries(kinds))
  test(`${kind}: an idle server sleeps, and wakes with what it had; what is used stays awake`, async () => {
    await withHosts(flags, async (here) => {
      await here.ask('POST', list, { name: 'one' })
      const { token } = await here.kubeconfig('one')
      for (let round = 0; round < 3; round++) {
        const made = await here.ask('POST', `/servers/one${configMaps}`, { metadata: { name: `round-${round}` } }, { token })
        assert.equal(made.code, 201, made.text)
        await asleep(here, 'one')
        const { body } = await here.ask('GET', `/servers/one${configMaps}`, undefined, { token })
        const names = body.items
          .map(({ metadata }: { metadata: { name: string } }) => metadata.name)
          .filter((name: string) => name !== 'kube-root-ca.crt')
        assert.deepEqual(
          names,
          Array.from({ length: round + 1 }, (_, at) => `round-${at}`),
        )
      }
      const ends = new AbortController()
      const watch = await here.fetch(`/servers/one${configMaps}?watch=true&resourceVersion=0`, {
        headers: { authorization: `Bearer ${token}` },
        signal: ends.signal,
      })
      const reader = (watch.body as ReadableStream<Uint8Array>).getReader()
      assert.ok((await reader.read()).value)
      // Another server falls asleep meanwhile, this one not.
      await here.ask('POST', `${list}/one/fork`, { name: 'two' })
      const two = await here.kubeconfig('two')
      assert.equal((await here.ask('GET', `/servers/two${configMaps}`, undefined, { token: two.token })).code, 200)
      await asleep(here, 'two')
      assert.equal((await here.ask('GET', `${list}/one`)).body.awake, true)
      ends.abort()
      await reader.cancel().catch(() => undefined)
      await asleep(here, 'one')
      for (const name of ['one', 'two']) assert.equal((await here.ask('DELETE', `${list}/${name}`)).code, 200)
      if (flags.length > 0) assert.deepEqual(readdirSync(join(temporary.path, 'data/servers')), [])
    })
  })

test('a server with faults stays awake until they are removed; an expired one is deleted', async () => {
  temporary.remove()
  await withHosts([], async (here) => {
    await here.ask('POST', list, { name: 'one' })
    await here.ask('POST', list, { name: 'brief', ttlSeconds: 0.3 })
    const { token } = await here.kubeconfig('one')
    await here.ask('POST', `${list}/one/faults`, { verb: 'get', then: 418 })
    await eventually('the other one is deleted', async () => (await here.ask('GET', `${list}/brief`)).code === 404)
    const hit = await here.ask('GET', `/servers/one${configMaps}/x`, undefined, { token })
    assert.equal(hit.code, 418)
    assert.deepEqual((await here.ask('GET', `${list}/one/faults`)).body.faults, [{ verb: 'get', then: 418, hits: 1 }])
    assert.equal((await here.ask('GET', `${list}/one`)).body.awake, true)
    await here.ask('DELETE', `${list}/one/faults`)
    await asleep(here, 'one')
    await here.ask('POST', `${list}/one/clock`, { frozen: true })
    assert.equal((await here.ask('GET', `/servers/one${configMaps}/x`, undefined, { token })).code, 404)
  })
})
