/** Tests of faults, and of what a server remembers of requests, for every supported test runner. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import {
  expectNoWrites,
  expectObject,
  type Fault,
  type ObjectClient,
  startTestServer,
  type TestServer,
  type WatchEvent,
} from '../../../runtimes/testing/index.ts'
import { eventually } from '../../support/wait.ts'

interface Map {
  metadata: { name: string; resourceVersion?: string; namespace?: string; generateName?: string }
  data?: Record<string, string>
}

const robot = { name: 'robot' }
const map = (name: string, value = '1'): Map => ({ metadata: { name }, data: { value } })
const clientOf = (server: TestServer, user = robot) => server.objects<Map>('v1', 'ConfigMap', { user })

async function open() {
  const server = await startTestServer()
  const { faults } = server
  return { server, faults, maps: clientOf(server) }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: { code?: number }) => error.code ?? 0,
  )

/** Collects the events of a watch until it ends. */
function collect(maps: ObjectClient<Map>, resourceVersion: string) {
  const stop = new AbortController()
  const seen: string[] = []
  const ended = (async () => {
    for await (const { type, object } of maps.watch({ resourceVersion }, stop.signal) as AsyncIterable<WatchEvent<Map>>)
      seen.push(`${type} ${object.metadata.name}`)
  })()
  return { seen, ended, stop: () => stop.abort() }
}

async function revisionOf(server: TestServer): Promise<string> {
  const response = await server.fetch('/api/v1/namespaces?limit=1')
  return ((await response.json()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion
}

export const faultSuite: { readonly [title: string]: () => Promise<void> } = {
  async 'refuses requests with any status, as the server would'() {
    const { server, faults, maps } = await open()
    await maps.create(map('a'))
    for (const code of [403, 409, 410, 429, 500, 503, 504]) {
      const fault = faults.add({ verb: 'update', resource: 'configmaps', name: 'a', times: 1, then: code })
      await assert.rejects(maps.update(map('a')), { code })
      await maps.update(map('a'))
      assert.equal(fault.hits, 1)
      fault.remove()
    }
    faults.add({ verb: 'update', then: 409 })
    await assert.rejects(maps.update(map('a')), {
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    })
    faults.clear()
    await maps.update(map('a'))
    for (const wrong of [{ then: 200 }, { then: 'burn' }, { then: 500, share: 2 }, { resource: 5, then: 500 }, {}])
      assert.throws(() => faults.add(wrong as never), { name: 'OptionError' })
    await server.close()
  },

  async 'selects by verb, resource, namespace, name and user, and counts'() {
    const { server, faults, maps } = await open()
    const other = clientOf(server, { name: 'other' })
    for (const name of ['a', 'b']) await maps.create(map(name))
    const tried = async (fault: Omit<Fault, 'then'>) => {
      const added = faults.add({ ...fault, then: 500 })
      const codes = [
        await codeOf(maps.get('a')),
        await codeOf(maps.get('b')),
        await codeOf(other.get('a')),
        await codeOf(maps.list()),
        await codeOf(maps.patch('a', { data: { x: 'y' } })),
        await codeOf(server.objects('v1', 'Secret', { user: robot }).list()),
      ]
      added.remove()
      return codes.map((code) => (code === 500 ? 'x' : '.')).join('')
    }
    assert.equal(await tried({}), 'xxxxxx')
    assert.equal(await tried({ verb: 'get' }), 'xxx...')
    assert.equal(await tried({ verb: ['get', 'write'] }), 'xxx.x.')
    assert.equal(await tried({ verb: 'read', resource: 'configmaps' }), 'xxxx..')
    assert.equal(await tried({ name: 'a' }), 'x.x.x.')
    assert.equal(await tried({ user: 'other' }), '..x...')
    assert.equal(await tried({ namespace: 'none' }), '......')
    assert.equal(await tried({ resource: 'configmaps/status' }), '......')
    assert.equal(await tried({ verb: 'get', after: 1, times: 1 }), '.x....')
    await server.close()
  },

  async 'a share of requests is the same for the same seed'() {
    const { server, faults, maps } = await open()
    await maps.create(map('a'))
    const run = async (seed: number) => {
      const fault = faults.add({ verb: 'get', share: 0.5, seed, then: 500 })
      const codes: number[] = []
      for (let at = 0; at < 40; at++) codes.push(await codeOf(maps.get('a')))
      fault.remove()
      return codes
    }
    const first = await run(1)
    assert.deepEqual(await run(1), first)
    assert.notDeepEqual(await run(2), first)
    const hit = first.filter((code) => code === 500).length
    assert(hit > 5 && hit < 35, String(hit))
    await server.close()
  },

  async 'loses requests, breaks connections, and stops a user after its second write'() {
    const { server, faults, maps } = await open()
    const broken = { name: 'BrokenConnection', message: 'the connection broke: a fault of the test' }
    faults.add({ verb: 'create', times: 1, then: 'lose' })
    await assert.rejects(maps.create(map('a')), broken)
    await assert.rejects(maps.get('a'), { code: 404 })
    faults.add({ verb: 'create', times: 1, then: 'break' })
    await assert.rejects(maps.create(map('a')), broken)
    assert.equal((await maps.get('a')).metadata.name, 'a')

    const stop = faults.add({ verb: 'write', user: 'robot', after: 1, then: 'stop' })
    const { ended } = collect(maps, '0')
    await maps.update(map('a', '2'))
    await assert.rejects(maps.update(map('a', '3')), broken)
    await ended
    await assert.rejects(maps.get('a'), broken)
    assert.equal((await clientOf(server, { name: 'other' }).get('a')).data?.['value'], '3')
    stop.remove()
    assert.equal((await maps.get('a')).data?.['value'], '3')
    await server.close()
  },

  async 'breaks connections over a port, too'() {
    const { server, faults } = await open()
    for (const tls of [false, true]) {
      const { url, token } = await server.listen({ tls })
      const { get } = tls ? await import('node:https') : await import('node:http')
      const ask = () =>
        new Promise<string>((resolve, reject) => {
          const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false }
          const outgoing = get(`${url}/api/v1/namespaces/default`, options, (incoming) => text(incoming).then(resolve, reject))
          outgoing.on('error', reject)
        })
      const fault = faults.add({ user: 'admin', resource: 'namespaces', then: 'break' })
      await assert.rejects(ask())
      assert.equal(fault.hits, 1)
      fault.remove()
      assert.match(await ask(), /"default"/)
    }
    await server.close()
  },

  async 'answers reads with an older state'() {
    const { server, faults, maps } = await open()
    await maps.create(map('a'))
    const stale = faults.add({ verb: ['get', 'list'], resource: 'configmaps', user: 'robot', then: 'stale' })
    await maps.update(map('a', '2'))
    await maps.create(map('b'))
    const old = await maps.get('a')
    assert.deepEqual([old.data, (old as unknown as { kind: string }).kind], [{ value: '1' }, 'ConfigMap'])
    await assert.rejects(maps.get('b'), { code: 404, message: 'configmaps "b" not found' })
    assert.deepEqual(
      (await maps.list({ fieldSelector: 'metadata.name!=kube-root-ca.crt' })).map(({ data }) => data),
      [{ value: '1' }],
    )
    assert.equal(stale.hits, 3)
    await assert.rejects(maps.update({ ...old, data: { value: '3' } }), { reason: 'Conflict' })
    stale.remove()
    assert.equal((await maps.get('a')).data?.['value'], '2')
    await server.close()
  },

  async 'delays requests and answers by the clock of the server'() {
    const { server, faults, maps } = await open()
    await maps.create(map('a'))
    for (const then of [{ latency: 60_000 }, { late: 60_000 }]) {
      const fault = faults.add({ verb: 'update', then })
      const before = (await maps.get('a')).metadata.resourceVersion
      let isAnswered = false
      const update = maps.update(map('a', JSON.stringify(then))).then(() => {
        isAnswered = true
      })
      await eventually('the fault happens', async () => fault.hits === 1)
      if ('late' in then) await eventually('it is done', async () => (await maps.get('a')).metadata.resourceVersion !== before)
      else assert.equal((await maps.get('a')).metadata.resourceVersion, before)
      assert.equal(isAnswered, false)
      await eventually('the clock moves', async () => {
        await server.clock.advance(60_000)
        return isAnswered
      })
      await update
      fault.remove()
    }
    await server.close()
  },

  async 'holds the events of a watch back, in order, and drops watches'() {
    const { server, faults, maps } = await open()
    const since = await revisionOf(server)
    const hold = faults.add({ verb: 'watch', resource: 'configmaps', user: 'robot', after: 1, times: 1, then: { hold: 60_000 } })
    const watch = collect(maps, since)
    const free = collect(clientOf(server, { name: 'other' }), since)
    for (const name of ['a', 'b', 'c', 'd']) await maps.create(map(name))
    await eventually('the other watch has all', async () => free.seen.length === 4)
    await eventually('the event is held', async () => hold.hits === 1)
    assert.deepEqual(watch.seen, ['ADDED a'])
    await server.clock.advance(60_000)
    await eventually('the watch has all', async () => watch.seen.length === 4)
    assert.deepEqual(watch.seen, free.seen)
    watch.stop()
    free.stop()
    await Promise.all([watch.ended, free.ended])

    faults.add({ verb: 'watch', after: 2, times: 1, then: 'drop' })
    const dropped = collect(maps, since)
    await dropped.ended
    assert.deepEqual(dropped.seen, ['ADDED a', 'ADDED b'])
    const next = collect(maps, since)
    await eventually('a new watch has all', async () => next.seen.length === 4)
    next.stop()
    await next.ended
    faults.add({ verb: 'watch', times: 1, then: 410 })
    await assert.rejects(collect(maps, since).ended, { code: 410, reason: 'Expired' })
    await server.close()
  },

  async 'remembers who asked what, and what it changed'() {
    const server = await startTestServer()
    const { requests } = server
    const maps = clientOf(server)
    await maps.create(map('a'))
    await maps.patch('a', { data: { 'a.b': 'x' } })
    await maps.update({ metadata: { name: 'a' }, data: { value: '2' } })
    await maps.update({ metadata: { name: 'a' }, data: { value: '2' } })
    await maps.delete('a')
    await maps.create({ metadata: { generateName: 'some-' } as never, data: { value: '1' } }, { dryRun: 'All' })
    await assert.rejects(maps.get('a'))
    assert.deepEqual(
      requests.find({ user: 'robot' }).map(({ verb, resource, name, code }) => [verb, resource, name, code]),
      [
        ['create', 'configmaps', 'a', 201],
        ['patch', 'configmaps', 'a', 200],
        ['update', 'configmaps', 'a', 200],
        ['update', 'configmaps', 'a', 200],
        ['delete', 'configmaps', 'a', 200],
        ['create', 'configmaps', '', 201],
        ['get', 'configmaps', 'a', 404],
      ],
    )
    const [created, patched, updated, idle, deleted] = requests.find({ verb: 'write' })
    assert.deepEqual([created?.before, (created?.after as Map | undefined)?.data], [undefined, { value: '1' }])
    assert.deepEqual(patched?.changes, [{ path: '/data/a.b', before: undefined, after: 'x' }])
    assert.equal(String(updated), 'robot: update configmaps/default/a 200\n  - data."a.b": "x"\n  ~ data.value: "1" → "2"')
    assert.equal(String(idle), 'robot: update configmaps/default/a 200\n  changed nothing')
    assert.equal(deleted?.after, undefined)
    requests.clear()
    assert.deepEqual(requests.find(), [])
    const port = await server.listen()
    await fetch(`${port.url}/version`)
    await fetch(`${port.url}/version`, { headers: { authorization: `Bearer ${port.token}`, 'impersonate-user': 'eve' } })
    await fetch(`${port.url}/version`, { headers: { authorization: `Bearer ${port.token}` } })
    assert.deepEqual(
      requests.find().map(({ user, path, code }) => [user, path, code]),
      [
        ['system:anonymous', '/version', 200],
        ['eve', '/version', 200],
        ['admin', '/version', 200],
      ],
    )
    await server.close()
  },

  async 'remembers the latest requests only'() {
    const server = await startTestServer()
    const { requests } = server
    const maps = clientOf(server)
    const large = 'x'.repeat(900_000)
    await maps.create(map('a'))
    for (let at = 0; at < 8; at++) await maps.update({ metadata: { name: 'a' }, data: { value: `${at}${large}` } })
    const kept = requests.find().reduce((sum, each) => sum + JSON.stringify([each.before, each.after]).length, 0)
    assert(kept < 9 * 1024 * 1024, String(kept))
    assert(requests.find().length > 3)
    await server.close()
  },

  async 'expects objects and no writes, with the difference'() {
    const server = await startTestServer()
    const maps = clientOf(server)
    const created = expectObject(maps, 'a', { data: { value: '1' } })
    await maps.create(map('a'))
    assert.equal((await created).metadata.name, 'a')
    await assert.rejects(expectObject(maps, 'a', { data: { value: '2', other: 'x' } }, 50), {
      message: 'a is not as expected (expected → seen):\n~ data.value: "2" → "1"\n- data.other: "x"',
    })
    await assert.rejects(expectObject(maps, 'none', {}, 50), /ConfigMap none: condition not met/)
    assert.equal(await expectNoWrites(server, async () => (await maps.list()).length > 0), true)
    await assert.rejects(
      expectNoWrites(server, async () => {
        await maps.update(map('a'))
        await maps.patch('a', { data: { value: '2' } })
      }),
      {
        message:
          '2 writes without need:\nrobot: update configmaps/default/a 200\n  changed nothing\nrobot: patch configmaps/default/a 200\n  ~ data.value: "1" → "2"',
      },
    )
    await expectNoWrites(server, () => maps.update(map('a')), { user: 'other' })
    await server.close()
  },
}
