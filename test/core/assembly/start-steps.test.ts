/** Health checks of a start, and the life cycle behind them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allFeatures } from '../../../core/assembly/features/all-features.ts'
import { LifeCycle, type PartTable } from '../../../core/assembly/life-cycle.ts'
import { parts } from '../../../core/assembly/parts.ts'
import { prepareServer } from '../../../core/assembly/server.ts'
import { withDefaults } from '../../../core/options/index.ts'
import { CallError, type OpenStores, StoreError } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { noFiles, webOutbound } from '../../../runtimes/web/ports.ts'
import { holdingClock } from '../../support/holding-clock.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

test('parts start after what they need, and stop before it', async () => {
  const events: string[] = []
  const row = (name: string, needs: readonly ('a' | 'b' | 'c')[], when?: () => boolean) => ({
    needs,
    ...(when && { when }),
    hooks: [name],
    start: async () => void events.push(`+${name}`),
    stop: () => void events.push(`-${name}`),
  })
  const table: PartTable<{ a: unknown; b: unknown; c: unknown }, object> = {
    a: row('a', ['b']),
    b: row('b', []),
    c: row('c', [], () => false),
  }
  const life = new LifeCycle(table, { context: {}, after: holdingClock.after })
  const failing = () =>
    life.hooks
      .filter(({ check }) => {
        try {
          return void check()
        } catch {
          return true
        }
      })
      .map(({ name }) => name)
  assert.deepEqual(failing(), ['a', 'b'])
  await life.start()
  assert.deepEqual(failing(), [])
  await life.stop()
  await life.stop()
  assert.deepEqual(events, ['+b', '+a', '-a', '-b'])
})

test('a part that starts while the life cycle is stopped is stopped too', async () => {
  let go = () => {}
  const events: string[] = []
  const slow = {
    needs: [],
    start: () => new Promise<void>((resolve) => (go = resolve)),
    stop: () => void events.push('stopped'),
  }
  const table: PartTable<{ slow: unknown; next: unknown }, object> = { slow, next: { needs: [], start: () => events.push('started') } }
  const life = new LifeCycle(table, { context: {}, after: holdingClock.after })
  const started = life.start()
  await life.stop()
  go()
  await assert.rejects(started, /closed during its start/)
  assert.deepEqual(events, ['stopped'])
})

test('the table of parts has no cycle and no hook twice', () => {
  const names = Object.keys(parts) as (keyof typeof parts)[]
  const visit = (name: keyof typeof parts, path: readonly string[]): void => {
    assert(!path.includes(name), [...path, name].join(' needs '))
    for (const needed of parts[name].needs) visit(needed, [...path, name])
  }
  for (const name of names) visit(name, [])
  const hooks = names.flatMap((name) => parts[name].hooks ?? [])
  assert.equal(new Set(hooks).size, hooks.length)
})

test('health checks have the names and the order of the reference', async (t) => {
  const { fetch } = await startInProcess({ controllers: [], authorizationModes: ['RBAC'] }, t)
  const get = async (path: string) => {
    const response = await fetch(path)
    return [response.status, await response.text()] as const
  }
  const expected = [
    ...['ping', 'log', 'kvstore', 'kvstore-readiness', 'informer-sync', 'custom-resource-definitions', 'encrypted-data'],
    ...[
      'start-apiserver-admission-initializer',
      'generic-apiserver-start-informers',
      'storage-object-count-tracker-hook',
      'start-apiextensions-informers',
      'start-apiextensions-controllers',
      'crd-informer-synced',
      'start-system-namespaces-controller',
      'storage-readiness',
      'start-service-ip-repair-controllers',
      'rbac/bootstrap-roles',
      'scheduling/bootstrap-system-priority-classes',
      'bootstrap-controller',
      'start-kubernetes-service-cidr-controller',
      'start-kube-aggregator-informers',
      'apiservice-status-local-available-controller',
      'apiservice-status-remote-available-controller',
      'apiservice-registration-controller',
      'apiservice-wait-for-first-sync',
      'apiservice-discovery-controller',
      'kube-apiserver-autoregistration',
    ].map((hook) => `poststarthook/${hook}`),
    'autoregister-completion',
    ...['apiservice-openapi-controller', 'apiservice-openapiv3-controller'].map((hook) => `poststarthook/${hook}`),
    'shutdown',
  ]
  const [status, text] = await get('/readyz?verbose')
  assert.deepEqual([status, text], [200, `${expected.map((name) => `[+]${name} ok\n`).join('')}readyz check passed\n`])
  for (const endpoint of ['healthz', 'livez']) {
    const [status, text] = await get(`/${endpoint}?verbose`)
    assert.equal(status, 200, text)
    assert(text.includes('[+]poststarthook/rbac/bootstrap-roles ok\n'))
    assert(!text.includes('[+]informer-sync'))
    assert.ok(text.startsWith('[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]kvstore ok\n'), text)
    // Single checks are behind RBAC, which allows nothing here.
    assert.equal((await get(`/${endpoint}/log`))[0], 403)
  }
})

/** A server whose store opens when `open` is called. */
function pendingServer(options: Parameters<typeof withDefaults>[0] = {}) {
  let open = (_stores: OpenStores) => {}
  const opened = new Promise<OpenStores>((resolve) => {
    open = resolve
  })
  const logged: object[] = []
  const note = (fields: object) => void logged.push(fields)
  const logger = { debug: note, info: note, warn: note, error: note }
  const ports = { clock: holdingClock, files: noFiles, outbound: webOutbound, telemetry: { logger } }
  const server = prepareServer(allFeatures, ports, () => opened, withDefaults({ controllers: [], ...options }))
  const get = async (path: string) => {
    const response = await server.fetch(new Request(`http://in-process${path}`))
    return [response.status, await response.text(), response.headers] as const
  }
  return { server, open, get, logged }
}

test('before the store is open, health checks name what is missing, and other requests get 503', async () => {
  const { server, open, get } = pendingServer({ livezGracePeriod: 60_000 })
  const started = server.start()
  const [status, text] = await get('/readyz')
  assert.equal(status, 500)
  for (const name of ['kvstore', 'poststarthook/storage-readiness', 'poststarthook/start-system-namespaces-controller', 'informer-sync'])
    assert(text.includes(`[-]${name} failed: reason withheld\n`), text)
  assert(text.includes('[+]ping ok\n'))
  // The hooks are within the grace period, the store is not.
  assert.deepEqual((await get('/livez?verbose'))[1].match(/\[-\].*/g), ['[-]kvstore failed: reason withheld'])
  assert.equal((await get('/livez?exclude=kvstore'))[1], 'ok')
  const [early, body, headers] = await get('/api/v1/namespaces')
  assert.deepEqual([early, JSON.parse(body).message, headers.get('retry-after')], [503, 'apiserver is starting', '1'])
  open({ store: memoryStore() })
  await started
  assert.equal((await get('/readyz'))[0], 200)
  assert.equal((await get('/api/v1/namespaces'))[0], 200)
  await server.close()
})

test('without a grace period /livez fails until the start is complete', async () => {
  const { server, open, get } = pendingServer()
  const started = server.start()
  assert.match((await get('/livez'))[1], /\[-\]poststarthook\/start-system-namespaces-controller failed/)
  open({ store: memoryStore() })
  await started
  assert.equal((await get('/livez'))[0], 200)
  await server.close()
})

test('a store that does not answer is asked again until the initialization timeout', async () => {
  for (const [storageInitializationTimeout, starts] of [
    [60_000, true],
    [0, false],
  ] as const) {
    const { server, open, get, logged } = pendingServer({ storageInitializationTimeout })
    const store = memoryStore()
    let failures = 2
    const put: typeof store.put = (...given) => {
      if (failures-- > 0) throw new StoreError('unavailable', 'no leader')
      return store.put(...given)
    }
    open({
      store: new Proxy(store, {
        get: (target, name) => (name === 'put' ? put : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name))),
      }),
    })
    const started = server.start()
    if (!starts) {
      await assert.rejects(started, /no leader/)
      assert.equal((await get('/livez'))[0], 503)
      continue
    }
    await eventually('a failure in the log', async () => JSON.stringify(logged).includes('no leader'))
    await started
    assert.equal((await get('/readyz'))[0], 200)
    await server.close()
  }
})

test('encrypted data without its configuration is in the log and in /readyz, by resource', async () => {
  const store = memoryStore()
  await store.put('/registry/secrets/default/hidden', new TextEncoder().encode('k8s:enc:aescbc:v1:key:x'), 0)
  const { server, open, get, logged } = pendingServer()
  open({ store })
  await server.start()
  assert.deepEqual(
    logged.filter((fields) => 'resources' in fields),
    [{ resources: ['secrets'] }],
  )
  assert.deepEqual((await get('/readyz'))[1].match(/\[-\].*/g), ['[-]encrypted-data failed: reason withheld'])
  assert.match((await get('/readyz/encrypted-data'))[1], /no provider for it: secrets/)
  assert.equal((await get('/livez'))[0], 200)
  await server.close()
})

test('a key-management plugin that is not there yet keeps the server unready, and is asked again', async () => {
  const text = `kind: EncryptionConfiguration
apiVersion: apiserver.config.k8s.io/v1
resources:
- resources: [priorityclasses.scheduling.k8s.io]
  providers:
  - kms: { apiVersion: v2, name: one, endpoint: unix:///nowhere/plugin.sock, timeout: 1s }
`
  const logged: string[] = []
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const logger = { debug: note, info: note, warn: note, error: note }
  const files = { ...noFiles, read: async () => new TextEncoder().encode(text) }
  const outbound = {
    ...webOutbound,
    call: () => Promise.reject(new CallError(14, 'dial unix /nowhere/plugin.sock: no such file or directory')),
  }
  const options = withDefaults({ controllers: [], encryption: { file: 'encryption.yaml', automaticReload: false } })
  const ports = { clock: holdingClock, files, outbound, telemetry: { logger } }
  const server = prepareServer(allFeatures, ports, () => ({ store: memoryStore() }), options)
  const failed = assert.rejects(server.start(), /closed during its start/)
  await eventually('a second try', async () => logged.filter((line) => line.includes('"part":"priorityClasses"')).length >= 2)
  assert(logged.some((line) => line.includes('/nowhere/plugin.sock')))
  const get = async (path: string) => (await server.fetch(new Request(`http://in-process${path}`))).text()
  const failing = [...(await get('/readyz')).matchAll(/\[-\](\S+)/g)].map(([, name]) => name)
  for (const name of ['kms-providers', 'poststarthook/scheduling/bootstrap-system-priority-classes'])
    assert(failing.includes(name), failing.join())
  assert.match(await get('/api/v1/namespaces'), /NamespaceList/, 'what is not encrypted is served')
  await server.close()
  await failed
})
