/** A daemon whose requests are served by threads (--workers). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { canSharePorts } from '../../runtimes/node/http/port-sharing.ts'
import { bun, deno, node, node24 } from '../conformance/daemons.ts'
import { type Api, apiOf, configMap } from '../support/api.ts'
import { type Daemon, readCredentials, runProgram, startDaemon, withEndingWorkers } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { type PooledFetch, tlsFetch } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'

const workers = 2
const configMaps = '/api/v1/namespaces/default/configmaps'

/** Clients with connections of their own. */
function clientsOf(daemon: Daemon, count: number): { readonly apis: readonly Api[]; close(): void } {
  const credentials = readCredentials(daemon.kubeconfig)
  const pools: PooledFetch[] = Array.from({ length: count }, () => tlsFetch(daemon.url, credentials))
  return { apis: pools.map(({ fetch }) => apiOf(fetch)), close: () => pools.forEach((pool) => void pool.close()) }
}

const metricsOf = async (daemon: Daemon) => (await daemon.fetch('/metrics')).text()

/** Values of a metric by the rest of its line. */
function samples(text: string, name: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return new Map(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
  )
}

/** Events of a watch until `count` have arrived. */
async function watched(api: Api, revision: string, count: number): Promise<readonly string[]> {
  const leaving = new AbortController()
  const response = await api.fetch(`${configMaps}?watch=true&resourceVersion=${revision}&labelSelector=followed`, {
    signal: leaving.signal,
  })
  const seen: string[] = []
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string; resourceVersion: string } } }
      seen.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`)
    }
    if (seen.length >= count) break
  }
  leaving.abort()
  return seen
}

/** Connections that a test opens at once. */
const opened = 200

for (const { name, command, skip } of [node, node24, bun, deno])
  describe(`${workers} workers on ${name}`, { skip }, () => {
    let daemon: Daemon
    let clients: ReturnType<typeof clientsOf>
    before(async () => {
      daemon = await startDaemon({ command: command(), flags: [`--workers=${workers}`] })
      clients = clientsOf(daemon, 8)
    })
    after(async () => {
      clients.close()
      await daemon.stop()
    })

    test('every worker has connections, which are counted', async (t) => {
      const { ca } = readCredentials(daemon.kubeconfig)
      const before = samples(await metricsOf(daemon), 'apiserver_worker_connections')
      const sockets = await Promise.all(
        Array.from(
          { length: opened },
          () =>
            new Promise<TLSSocket>((resolve, reject) => {
              const socket = connect({ host: daemon.host, port: daemon.port, ca, servername: 'localhost' }, () => resolve(socket))
              socket.once('error', reject)
            }),
        ),
      )
      const counts = await eventually('all connections are counted', async () => {
        const now = samples(await metricsOf(daemon), 'apiserver_worker_connections')
        const counts = [...now].map(([worker, count]) => count - (before.get(worker) ?? 0))
        return counts.reduce((sum, count) => sum + count, 0) >= opened && counts
      })
      for (const socket of sockets) socket.destroy()
      assert.equal(counts.length, workers)
      t.diagnostic(`connections of the workers: ${counts.join(', ')}`)
      const [least, most] = [Math.min(...counts), Math.max(...counts)]
      // Without SO_REUSEPORT the kernel gives a connection to whichever worker is free: nothing makes the counts equal.
      const isSpread = name === 'Node' && !canSharePorts() ? least >= 5 : most < 2 * least
      assert(isSpread, `connections of the workers: ${counts.join(', ')}`)
    })

    test('what one connection writes, every other one reads at once, and watches in the same order', async () => {
      const [writer, ...readers] = clients.apis as [Api, ...Api[]]
      const { metadata } = await writer.list(configMaps)
      const count = 30
      const watches = readers.map((api) => watched(api, metadata.resourceVersion, 2 * count))
      for (let i = 0; i < count; i++) {
        const made = await writer.create(configMaps, configMap(`seen-${i}`, { value: '1' }, { labels: { followed: '' } }))
        await Promise.all(
          readers.map(async (api) => {
            const { body } = await api.get(`${configMaps}/seen-${i}`)
            assert.equal(body.metadata.resourceVersion, made.metadata.resourceVersion)
          }),
        )
        const reader = readers[i % readers.length] as Api
        assert.equal((await reader.patch(`${configMaps}/seen-${i}`, { data: { value: '2' } })).status, 200)
      }
      const [first, ...others] = await within('all events', Promise.all(watches))
      assert.equal(first?.length, 2 * count)
      for (const other of others) assert.deepEqual(other, first)
    })

    test('one of concurrent updates of one object wins, on all workers', async () => {
      const { metadata } = await (clients.apis[0] as Api).create(configMaps, configMap('contended', { value: '0' }))
      let { resourceVersion } = metadata
      for (let round = 0; round < 10; round++) {
        const object = configMap('contended', { value: String(round) }, { resourceVersion })
        const answers = await Promise.all(clients.apis.map((api) => api.send('PUT', `${configMaps}/contended`, object)))
        const statuses = answers.map(({ status }) => status)
        const winners = answers.filter(({ status }) => status === 200)
        assert(winners.length >= 1 && statuses.every((status) => status === 200 || status === 409), statuses.join())
        const versions = new Set(winners.map(({ body }) => body.metadata.resourceVersion))
        // The same object again changes nothing, and succeeds.
        assert.equal(versions.size, 1)
        resourceVersion = [...versions][0] as string
      }
    })

    test('service addresses and node ports are given once', async () => {
      const service = (name: string) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      })
      const made = await Promise.all(
        Array.from({ length: 96 }, (_, i) =>
          (clients.apis[i % clients.apis.length] as Api).create('/api/v1/namespaces/default/services', service(`s-${i}`)),
        ),
      )
      const specs = made.map(({ spec }) => spec as { clusterIP: string; ports: { nodePort: number }[] })
      assert.equal(new Set(specs.map(({ clusterIP }) => clusterIP)).size, made.length)
      assert.equal(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size, made.length)
    })

    test('a quota is not exceeded', async () => {
      const [api] = clients.apis as [Api]
      await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bounded' } })
      const spec = { hard: { 'count/secrets': '20' } }
      await api.create('/api/v1/namespaces/bounded/resourcequotas', {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec,
      })
      await eventually('the quota is in force', async () => {
        const { body } = await api.get('/api/v1/namespaces/bounded/resourcequotas/q')
        return (body.status?.['hard'] as { 'count/secrets'?: string } | undefined)?.['count/secrets'] === '20'
      })
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          (clients.apis[i % clients.apis.length] as Api).send('POST', '/api/v1/namespaces/bounded/secrets', {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: `s-${i}` },
          }),
        ),
      )
      const made = answers.filter(({ status }) => status === 201).length
      const { items } = await api.list('/api/v1/namespaces/bounded/secrets')
      assert.equal(items.length, made)
      assert(made <= 20 && made > 0, `${made} of 20`)
    })

    test('metrics are those of the process, whichever worker is asked', async () => {
      for (const api of clients.apis) await (await api.fetch('/version')).text()
      const texts = await Promise.all(clients.apis.map(async (api) => (await api.fetch('/metrics')).text()))
      for (const text of texts) {
        assert.equal(samples(text, 'process_cpu_seconds_total').size, 1)
        const asked = samples(text, 'apiserver_request_total')
        const version = [...asked].find(([labels]) => labels.includes('verb="POST"') && labels.includes('resource="services"'))
        assert.equal(version?.[1], 96, 'of all workers')
        assert.deepEqual([...samples(text, 'kubernetes_build_info').values()], [1])
      }
    })

    test('what is one is there once: leases, and the controllers of the main thread', async () => {
      const [api] = clients.apis as [Api]
      const { items } = await api.list('/apis/coordination.k8s.io/v1/namespaces/platform-system/leases')
      assert.equal(items.filter(({ metadata }) => metadata.name.startsWith('apiserver-')).length, 1)
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short' } }
      await api.create('/api/v1/namespaces', namespace)
      await eventually('a service account', async () => (await api.get('/api/v1/namespaces/short/serviceaccounts/default')).status === 200)
      await api.delete('/api/v1/namespaces/short')
      await eventually('the namespace is gone', async () => (await api.get('/api/v1/namespaces/short')).status === 404)
    })

    test('a definition is served by all workers', async () => {
      const [api] = clients.apis as [Api]
      await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      })
      for (const each of clients.apis)
        await eventually('the resource', async () => (await each.get('/apis/example.com/v1/namespaces/default/widgets')).status === 200)
      await api.create('/apis/example.com/v1/namespaces/default/widgets', {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'w' },
      })
      for (const each of clients.apis) assert.equal((await each.get('/apis/example.com/v1/namespaces/default/widgets/w')).status, 200)
    })
  })

describe('workers that end', () => {
  test('a worker that fails is named and replaced; nothing that was acknowledged is lost', { timeout: 600_000 }, async () => {
    const { path, remove } = temporaryDirectory()
    const file = join(path, 'end')
    const daemon = await startDaemon({
      command: withEndingWorkers,
      directory: path,
      flags: [`--workers=${workers}`],
      env: { END_WORKER: file },
    })
    const clients = clientsOf(daemon, 8)
    try {
      const acknowledged: string[] = []
      let stopped = false
      let count = 0
      const writers = clients.apis.map(async (api, index) => {
        for (let i = 0; !stopped; i++) {
          const name = `w-${index}-${i}`
          try {
            const { status } = await api.send('POST', configMaps, configMap(name, {}))
            if (status === 201) acknowledged.push(name)
            count++
          } catch {
            // The connection was one of the worker's.
          }
        }
      })
      for (let end = 1; end <= 3; end++) {
        const from = count
        await eventually('some writes', async () => count > from + 50)
        writeFileSync(file, '')
        await eventually('the log', async () => daemon.log().split('ended by a test').length > end)
      }
      await eventually('both workers accept again', async () => {
        const text = await metricsOf(daemon).catch(() => '')
        return samples(text, 'apiserver_worker_connections').size === workers
      })
      const from = count
      await eventually('some writes', async () => count > from + 50)
      stopped = true
      await Promise.all(writers)
      assert.match(daemon.log(), /a worker ended.*worker=\d.*ended by a test/)
      const { items } = await apiOf(daemon.fetch).list(configMaps)
      const names = new Set(items.map(({ metadata }) => metadata.name))
      assert.deepEqual(
        acknowledged.filter((name) => !names.has(name)),
        [],
      )
    } finally {
      clients.close()
      await daemon.stop()
      remove()
    }
  })

  test('at SIGTERM a worker that is being started again is given up, and the process ends', async () => {
    const { path, remove } = temporaryDirectory()
    const [end, hold] = [join(path, 'end'), join(path, 'hold')]
    const daemon = await startDaemon({
      command: withEndingWorkers,
      directory: path,
      flags: [`--workers=${workers}`],
      env: { END_WORKER: end, HOLD_WORKER: hold },
    })
    try {
      writeFileSync(hold, '')
      writeFileSync(end, '')
      await eventually('the next worker is about to listen', async () => readFileSync(hold, 'utf8') !== '')
    } finally {
      await daemon.stop()
      remove()
    }
    assert.equal(await daemon.ended(), 0)
    assert.match(daemon.log(), /shutdown: ended/)
  })

  test('at SIGTERM requests in flight end on all workers, and then the process', async () => {
    const daemon = await startDaemon({ flags: [`--workers=${workers}`, '--shutdown-delay-duration=300ms'] })
    const clients = clientsOf(daemon, 8)
    const { metadata } = await apiOf(daemon.fetch).list(configMaps)
    const watches = await Promise.all(
      clients.apis.map((api) => api.fetch(`${configMaps}?watch=true&resourceVersion=${metadata.resourceVersion}`)),
    )
    const ends = watches.map(async (response) => (await response.text()).length)
    const stopping = daemon.stop()
    const readiness = await clients.apis[0]?.fetch('/readyz').catch(() => undefined)
    assert([500, undefined].includes(readiness?.status))
    await within('the ends of the watches', Promise.all(ends))
    await stopping
    assert.equal(await daemon.ended(), 0)
    assert.match(daemon.log(), new RegExp(`drained.*aborted=0.*watches=${clients.apis.length}`))
    clients.close()
  })
})

test('what one worker encrypts another one reads, and the audit log has each request of both, in whole lines', async () => {
  const { path, remove } = temporaryDirectory()
  const [encryption, policy, log] = ['encryption.json', 'policy.json', 'audit.log'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ]
  const key = { name: 'k', secret: Buffer.alloc(32, 1).toString('base64') }
  writeFileSync(
    encryption,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['configmaps'], providers: [{ aesgcm: { keys: [key] } }, { identity: {} }] }],
    }),
  )
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'RequestResponse' }] }))
  const flags = [`--encryption-provider-config=${encryption}`, `--audit-policy-file=${policy}`, `--audit-log-path=${log}`]
  const daemon = await startDaemon({ directory: path, flags: [`--workers=${workers}`, ...flags] })
  const { apis, close } = clientsOf(daemon, 8)
  try {
    const names = Array.from({ length: 48 }, (_, i) => `sealed-${i}`)
    await Promise.all(
      names.map((name, i) => (apis[i % apis.length] as Api).create(configMaps, configMap(name, { value: name.repeat(200) }))),
    )
    for (const [i, name] of names.entries()) {
      const { body } = await (apis[(i + 3) % apis.length] as Api).get(`${configMaps}/${name}`)
      assert.equal(body.data?.['value'], name.repeat(200))
    }
  } finally {
    close()
    await daemon.stop()
  }
  interface Event {
    readonly stage: string
    readonly verb: string
    readonly objectRef?: { readonly name?: string; readonly resource?: string }
  }
  const events = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event)
  const complete = (verb: string) =>
    events.filter((event) => event.stage === 'ResponseComplete' && event.verb === verb && event.objectRef?.name?.startsWith('sealed-'))
      .length
  assert.deepEqual([complete('create'), complete('get')], [48, 48])
  remove()
})

test('what workers do not have is refused at the start, by its flag', async () => {
  const { path, remove } = temporaryDirectory()
  const flags = ['--kvstore-servers=http://127.0.0.1:1', '--permit-port-sharing', '--enable-branches', `--debug-socket-path=${path}/socket`]
  for (const flag of flags) {
    const { code, stderr } = await runProgram([`--workers=${workers}`, flag])
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^error: ${flag.split('=')[0]} needs --workers=1: \\w.+\\n$`))
  }
  const { stderr } = await runProgram(['run', '--workers=2', '--', 'true'])
  assert.match(stderr, /^error: --workers: /)
  remove()
})
