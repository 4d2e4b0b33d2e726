/** Every option of the public functions is validated by name before anything starts. */
import assert from 'node:assert/strict'
import { Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { serverOptionTypes } from '../../../core/options/index.ts'
import { portRows } from '../../../core/options/ports.ts'
import { OptionError } from '../../../core/options/validate.ts'
import type { Clock, KeyValueStore } from '../../../core/ports.ts'
import { createApiServer as createCoreServer } from '../../../core/server.ts'
import { listen } from '../../../runtimes/node/network/listener.ts'
import { listenRows } from '../../../runtimes/node/start/listen-rows.ts'
import { openDurableStore } from '../../../runtimes/stores/durable.ts'
import { openEtcdStore } from '../../../runtimes/stores/etcd.ts'
import { durableRows, etcdRows, memoryRows } from '../../../runtimes/stores/option-rows.ts'
import { startTestServer } from '../../../runtimes/testing/index.ts'
import { createApiServer, memoryStore } from '../../../runtimes/web/index.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from '../../../runtimes/web/ports.ts'

type Options = { readonly [option: string]: unknown }

interface Case {
  readonly title: string
  readonly start: (options: Options) => Promise<unknown>
  readonly caller: string
  readonly names: readonly string[]
}

/** A store and a clock that record their use. */
function recordedPorts() {
  const uses: string[] = []
  const recorded = <T extends object>(real: T) =>
    new Proxy(real, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          uses.push(String(name))
          return Reflect.apply(member, target, parameters)
        }
      },
    })
  return { uses, store: recorded<KeyValueStore>(memoryStore()), clock: recorded<Clock>(webClock) }
}

/** Starts fail with these options; returns the message. Nothing is used, no timer is set, and no port is opened. */
async function refusal(t: TestContext, start: (options: Options) => Promise<unknown>, options: Options): Promise<string> {
  const { uses, store, clock } = recordedPorts()
  const mocks = [
    ...(['setTimeout', 'setInterval', 'setImmediate'] as const).map((name) => t.mock.method(globalThis, name)),
    t.mock.method(Server.prototype, 'listen'),
  ]
  try {
    await start({ store, clock, ...options })
  } catch (error) {
    for (const { mock } of mocks) {
      assert.equal(mock.callCount(), 0)
      mock.restore()
    }
    assert.deepEqual(uses, [])
    assert(error instanceof OptionError, String(error))
    return error.message
  }
  assert.fail(`started with ${Object.keys(options).join()}`)
}

const embedded: Case = {
  title: 'createApiServer',
  caller: 'createApiServer',
  start: (options) => createApiServer(options as unknown as Parameters<typeof createApiServer>[0]),
  names: Object.keys({ ...serverOptionTypes, ...portRows }),
}
const cases: readonly Case[] = [
  embedded,
  {
    title: 'startTestServer',
    caller: 'startTestServer',
    start: ({ store: _store, clock: _clock, ...options }) => startTestServer(options),
    names: Object.keys({ ...serverOptionTypes, from: 0, telemetry: 0 }),
  },
  {
    title: 'listen',
    caller: 'listen',
    start: ({ store: _store, ...options }) => listen({ cert: 'x', key: 'x', ...options }, async () => new Response()),
    names: Object.keys(listenRows),
  },
  {
    title: 'memoryStore',
    caller: 'memoryStore',
    start: async ({ store: _store, ...options }) => memoryStore(options),
    names: Object.keys(memoryRows),
  },
  {
    title: 'openDurableStore',
    caller: 'openDurableStore',
    start: ({ store: _store, ...options }) =>
      openDurableStore({ directory: '/nonexistent/a', logger: consoleLogger, clock: webClock, ...options }),
    names: Object.keys(durableRows),
  },
  {
    title: 'openEtcdStore',
    caller: 'openEtcdStore',
    start: ({ store: _store, ...options }) =>
      openEtcdStore({ servers: ['http://127.0.0.1:1'], logger: consoleLogger, clock: webClock, timeouts: { start: 0 }, ...options }),
    names: Object.keys(etcdRows),
  },
]

for (const { title, caller, start, names } of cases) {
  test(`${title}: values of a wrong type`, async (t) => {
    assert(names.length > 1)
    for (const name of names)
      for (const wrong of [null, Symbol('wrong'), Number.NaN]) {
        const message = await refusal(t, start, { [name]: wrong })
        assert.match(message, new RegExp(`^${caller}: ${name}: must be [^;]*, not (null|a symbol|NaN)$`), name)
      }
  })

  test(`${title}: unknown names`, async (t) => {
    for (const name of names) {
      const message = await refusal(t, start, { [`${name}x`]: 1 })
      assert.match(message, new RegExp(`^${caller}: ${name}x: unknown option; did you mean \\w+\\?$`))
    }
    assert.match(
      await refusal(t, start, { somethingElse: 1 }),
      new RegExp(`^${caller}: somethingElse: unknown option; the options are \\w+, `),
    )
  })
}

/** Values of the right type that are out of range, and the reason. */
const outOfRange: readonly (readonly [option: string, value: unknown, reason: RegExp])[] = [
  ['requestTimeout', -1, /: invalid value -1: must not be negative$/],
  ['requestTimeout', '60s', /: must be a number, not a string$/],
  ['requestTimeout', Number.POSITIVE_INFINITY, /: must be a number, not Infinity$/],
  ['eventTtl', -1, /: invalid value -1: must not be negative$/],
  ['leaseReuse', 0, /: invalid value 0: must be at least 1$/],
  ['minRequestTimeout', -1, /must not be negative$/],
  ['minRequestTimeout', 1.5, /: invalid value 1.5: must be an integer$/],
  ['maxReadOnlyInFlight', -1, /must not be negative$/],
  ['maxMutatingInFlight', -1, /must not be negative$/],
  ['deleteCollectionWorkers', 0, /: invalid value 0: must be at least 1$/],
  ['storeHealthTimeout', -1, /must not be negative$/],
  ['storeReadyTimeout', -1, /must not be negative$/],
  ['goawayChance', 3, /: invalid value 3: must be between 0 and 0.02$/],
  ['livezGracePeriod', -1, /must not be negative$/],
  ['compactionInterval', -1, /must not be negative$/],
  ['countInterval', -1, /must not be negative$/],
  ['sizeInterval', -1, /must not be negative$/],
  ['clusterServiceNodePort', 70_000, /must be between 0 and 65535$/],
  ['clusterServiceNodePort', 80, /: 80 is outside of serviceNodePortRange 30000-32767$/],
  ['securePort', 0, /: invalid value 0: must be between 1 and 65535$/],
  ['platform', 'foo', /: invalid value "foo": must be one of platform, kubernetes$/],
  ['prefix', 'registry/', /must be segments that start with a slash/],
  ['storageMediaType', 'text/plain', /must be one of application\/json, /],
  ['authorizationModes', [], /must name at least one mode$/],
  ['authorizationModes', ['Rbac'], /must be one of AlwaysAllow, /],
  ['authorizationModes', ['RBAC', 'RBAC'], /has a mode more than once$/],
  ['authorizationModes', ['ABAC'], /: ABAC needs authorizationFiles.policy$/],
  ['authorizationFiles', { policy: 'f' }, /^createApiServer: authorizationFiles.policy: needs authorizationModes=ABAC$/],
  ['authorizationFiles', { webhook: {} }, /^createApiServer: authorizationFiles.webhook.connection: required; /],
  ['controllers', ['gc'], /^createApiServer: controllers\[0\]: invalid value "gc": must be one of /],
  ['featureGates', { Nonsense: true }, /: unrecognized feature gate: Nonsense$/],
  ['featureGates', { WatchList: 'false' }, /^createApiServer: featureGates.WatchList: must be true or false, not a string$/],
  ['runtimeConfig', { 'nonsense/v1': true }, /: unknown api groups nonsense\/v1$/],
  ['tokens', [{ token: 'secret' }], /^createApiServer: tokens\[0\].user: required$/],
  ['tokens', [{ token: 'secret', user: { name: '' } }], /^createApiServer: tokens\[0\].user.name: must not be empty$/],
  [
    'tokens',
    [{ token: 7, user: { nam: 'a' } }],
    /token: must be a string, not a number; tokens\[0\].user.nam: unknown option; did you mean name\?/,
  ],
  ['admissionPlugins', { enable: ['Nonsense'] }, /^createApiServer: admissionPlugins.enable: .*is not an admission plugin$/],
  ['admissionPlugins', { enable: ['PodSecurity'], disable: ['PodSecurity'] }, /: enable and disable overlap: PodSecurity$/],
  ['pluginConfigurations', { PodSecurty: {} }, /unknown option; did you mean PodSecurity\?$/],
  ['extraPlugins', [{ name: 'idle', operations: ['CREATE'] }], /^createApiServer: extraPlugins\[0\]: must have mutate or validate$/],
  ['authenticators', [{ name: 'a' }], /^createApiServer: authenticators\[0\].authenticate: required$/],
  ['authorizers', [{ name: 'a', authorize: true }], /authorize: must be a function, not a boolean$/],
  ['serviceAccounts', { issuers: ['x'], audiences: [] }, /must have signingKey and verificationKeys, or externalSigner$/],
  ['serviceAccounts', { issuers: ['x'], audiences: [], maxSeconds: 1 }, /maxSeconds: invalid value 1: must be between 1h0m0s/],
  ['storageInitializationTimeout', -1, /: invalid value -1: must not be negative$/],
  ['hstsDirectives', ['nonsense'], /must be max-age/],
  ['tolerationSeconds', { notReady: 1.5, unreachable: 1 }, /notReady: invalid value 1.5: must be an integer$/],
  ['serviceClusterIpRanges', [], /must be one or two CIDRs/],
  ['serviceClusterIpRanges', ['10.0.0.0/30'], /is too small: must be at least 8 IP addresses$/],
  ['serviceNodePortRange', { from: 3, to: 1 }, /must not end before it starts$/],
  ['advertiseAddress', 'localhost', /must be an IP address$/],
  ['nodeAgentTimeout', -1, /must not be negative$/],
  ['auditLogBufferSize', 1.5, /must be an integer$/],
  ['auditLogBatchSize', 1.5, /must be an integer$/],
  ['auditLogBatchWait', -1, /must not be negative$/],
  ['auditLogThrottleQps', Number.POSITIVE_INFINITY, /must be a number, not Infinity$/],
  ['auditLogThrottleBurst', 1.5, /must be an integer$/],
  ['auditLogMaxBatchBytes', 1, /must not be smaller than auditLogMaxEventBytes$/],
  ['auditLogMaxEventBytes', 0, /must be positive$/],
  ['auditWebhookInitialBackoff', -1, /must not be negative$/],
  ['auditWebhookBufferSize', 0, /must be positive when auditWebhookMode is batch$/],
  ['auditWebhookBatchSize', 0, /must be positive when auditWebhookMode is batch$/],
  ['auditWebhookBatchWait', -1, /must not be negative$/],
  ['auditWebhookThrottleQps', 0, /must be positive when auditWebhookMode is batch$/],
  ['auditWebhookThrottleBurst', 0, /must be positive when auditWebhookMode is batch$/],
  ['auditWebhookMaxBatchBytes', 1, /must not be smaller than auditWebhookMaxEventBytes$/],
  ['auditWebhookMaxEventBytes', 0, /must be positive$/],
  ['coordinatedLeaseDuration', 0, /must be/],
  ['coordinatedRenewDeadline', 0, /must be/],
  ['coordinatedRetryPeriod', 0, /must be/],
  ['serverCount', 0, /must be/],
  ['peerAdvertisePort', 65_536, /must/],
  ['maxConnectionBytesPerSecond', -1, /must/],
  ['store', {}, /^createApiServer: store.get: required; /],
]

test('values out of range', async (t) => {
  for (const [option, value, reason] of outOfRange) {
    const message = await refusal(t, embedded.start, { [option]: value })
    assert.match(message, reason)
    assert(message.startsWith(`createApiServer: ${option}`), message)
    assert(!message.includes('secret'), message)
  }
})

test('every option that can be a number has a row above', async (t) => {
  const covered = new Set(outOfRange.map(([option]) => option))
  const { store } = recordedPorts()
  const numeric: string[] = []
  for (const name of embedded.names) {
    const message = await refusal(t, embedded.start, { store, [name]: '1', noSuchOption: 1 })
    if (message.includes(`${name}: must be a number,`)) numeric.push(name)
  }
  assert(numeric.length >= 15, numeric.join())
  assert.deepEqual(
    numeric.filter((name) => !covered.has(name)),
    [],
  )
})

test('all problems are in one error, with the option of each', async () => {
  const error = await createApiServer({ requestTimeout: -1, anonymous: 'no', corsAccept: 1 } as never).catch((thrown: unknown) => thrown)
  assert(error instanceof OptionError)
  assert.deepEqual(
    error.problems.map(({ option }) => option),
    ['corsAccept', 'anonymous', 'requestTimeout', 'store'],
  )
})

test('no options at all', async () => {
  await assert.rejects(
    createApiServer(undefined as never),
    new OptionError('createApiServer', [{ at: '', message: 'must be an object, not undefined' }]),
  )
  await assert.rejects(startTestServer(null as never), { message: 'startTestServer: options must be an object, not null' })
  await assert.rejects(
    listen({} as never, async () => new Response()),
    { message: 'listen: cert: required; key: required' },
  )
})

test('options and ports of the core', async () => {
  const ports = { store: memoryStore(), clock: webClock, files: noFiles, outbound: webOutbound, telemetry: { logger: consoleLogger } }
  await assert.rejects(createCoreServer(ports, { admissionPlugins: { enable: ['Nonsense'] } }), { name: 'OptionError' })
  await assert.rejects(createCoreServer({ ...ports, clock: undefined as never }), { message: 'createApiServer: clock: required' })
})

test('options that are undefined count as absent', async (t) => {
  const absent = Object.fromEntries(embedded.names.map((name) => [name, undefined]))
  const server = await createApiServer({ ...absent, store: memoryStore(), noSuchOption: undefined } as never)
  t.after(() => server.close())
  assert.equal((await server.fetch(new Request('http://test/readyz'))).status, 200)
})

test('options of a test server’s listen and objects', async (t) => {
  const server = await startTestServer({ telemetry: { logger: consoleLogger } })
  t.after(() => server.close())
  await assert.rejects(server.listen({ port: 70_000 }), { message: 'listen: port: invalid value 70000: must be between 0 and 65535' })
  await assert.rejects(server.listen({ tlss: true } as never), { message: 'listen: tlss: unknown option; did you mean tls?' })
  assert.throws(() => server.objects('v1', 'Pod', { namespaces: 'a' } as never), {
    message: 'objects: namespaces: unknown option; did you mean namespace?',
  })
})
