/**
 * The wall clock of a running server is set an hour forth and back. Timestamps and what has a date follow it: the expiry of tokens, and
 * creationTimestamp. Whatever lasts for a time does not: connections, watches, leases, caches, timeouts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { webhookTokens } from '../../../core/access/authn/webhook-token.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Outbound } from '../../../core/ports.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { createSecrets, secretOptions } from '../../../runtimes/testing/secrets.ts'
import { consoleLogger } from '../../../runtimes/web/ports.ts'
import { ManualClock } from '../../support/clock.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually, within } from '../../support/wait.ts'
import { deferred, open, session } from './support.ts'

const hour = 3_600_000
const configMaps = '/api/v1/namespaces/default/configmaps'
const events = '/api/v1/namespaces/default/events'
const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const robot = '/api/v1/namespaces/default/serviceaccounts/robot'
/** Seconds; the server adds up to a twentieth. */
const eventTtl = 600
const cacheTtl = 120_000

/** Steps that leave the clock where it was. */
const steps = [hour, -2 * hour, hour, -20_000, 20_000]

async function steppedServer() {
  const clock = new ManualClock()
  const asked = { tokens: 0, slow: deferred() }
  const outbound: Outbound = {
    async fetch(request) {
      if (request.url.includes('/slow')) {
        asked.slow.resolve()
        return new Promise<Response>(() => {})
      }
      const { kind, apiVersion, spec } = (await request.json()) as { kind: string; apiVersion: string; spec: { token: string } }
      const authenticated = spec.token === 'remote-token'
      if (authenticated) asked.tokens++
      return Response.json({ kind, apiVersion, status: { authenticated, ...(authenticated && { user: { username: 'remote' } }) } })
    },
    call: () => Promise.reject(new Error('no gRPC here')),
  }
  const secrets = await createSecrets()
  const platform = createPlatform('kubernetes')
  const connection = { url: 'https://tokens.example.com/', options: {} }
  const remote = webhookTokens({ connection, version: 'v1', audiences: [], cacheTtl }, { outbound, clock, logger: consoleLogger, platform })
  const { server: core } = await startInProcess({
    controllers: [],
    eventTtl,
    tokenAuthenticators: [remote],
    ...(await secretOptions(secrets)),
    clock,
    outbound,
    store: memoryStore({ clock }),
  })
  const listener = await open(core.answer, { clock })
  const connectionToServer = session(listener.url)
  const send = async (method: string, path: string, body?: object, token = secrets.token) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = new Request(`https://x${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const response = await within(`${method} ${path}`, core.fetch(request))
    return { status: response.status, body: await response.json() }
  }
  return {
    clock,
    asked,
    send,
    connection: connectionToServer,
    token: secrets.token,
    /** Lets time pass, with a turn of the event loop per second. */
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += 1_000) {
        clock.advance(1_000)
        await turn()
      }
    },
    async [Symbol.asyncDispose]() {
      connectionToServer.destroy()
      await listener.close(0)
      await core.close()
    },
  }
}

test('connections and watches outlive steps of the wall clock', async () => {
  await using server = await steppedServer()
  const { connection } = server
  let goneAway: number | undefined
  connection.on('goaway', (code) => {
    goneAway = code
  })
  const watch = connection.request({ ':path': `${configMaps}?watch=true`, authorization: `Bearer ${server.token}` })
  let seen = ''
  watch.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk
  })
  for (const [at, step] of steps.entries()) {
    server.clock.step(step)
    await server.pass(3_000)
    const { status, body } = await server.send('POST', configMaps, { metadata: { name: `after-${at}` } })
    assert.equal(status, 201, `after a step of ${step} ms`)
    assert.ok(Math.abs(Date.parse(body.metadata.creationTimestamp) - server.clock.now()) <= 1_000, 'a timestamp follows the wall clock')
    await eventually('the event', async () => seen.includes(`"after-${at}"`))
    // Spends from the budgets of the connection.
    await within('a pong', new Promise((resolve) => connection.ping(resolve)))
  }
  assert.equal(goneAway, undefined)
  assert.equal(connection.closed, false)
})

test('leases of events end after their time', async () => {
  await using server = await steppedServer()
  const names = async () =>
    ((await server.send('GET', events)).body.items as { metadata: { name: string } }[]).map((each) => each.metadata.name)
  const create = (name: string) =>
    server.send('POST', events, { metadata: { name }, involvedObject: { namespace: 'default' }, reason: 'Test' })
  assert.equal((await create('first')).status, 201)
  server.clock.step(hour)
  await server.pass(60_000)
  assert.deepEqual(await names(), ['first'], 'not sooner')
  assert.equal((await create('second')).status, 201)
  server.clock.step(-2 * hour)
  await server.pass((eventTtl * 1_000 * 21) / 20)
  await eventually('the end of both', async () => (await names()).length === 0)
})

test('tokens expire at their date; cached answers about them last for their time', async () => {
  await using server = await steppedServer()
  assert.equal((await server.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })).status, 201)
  const { body } = await server.send('POST', `${robot}/token`, { spec: { expirationSeconds: 1_800 } })
  const status = async () => (await server.send('GET', configMaps, undefined, body.status.token)).status
  const remote = async () => {
    assert.equal((await server.send('GET', configMaps, undefined, 'remote-token')).status, 200)
    return server.asked.tokens
  }
  assert.deepEqual([await status(), await remote()], [200, 1])
  server.clock.step(hour)
  assert.deepEqual([await status(), await remote()], [401, 1])
  server.clock.step(-hour)
  assert.deepEqual([await status(), await remote()], [200, 1])
  server.clock.step(-hour)
  await server.pass(cacheTtl)
  assert.equal(await remote(), 2)
})

test('a webhook has its timeout, and no more', async () => {
  for (const step of [hour, -hour]) {
    await using server = await steppedServer()
    const hook = {
      name: 'slow.example.com',
      clientConfig: { url: 'https://hooks.example.com/slow' },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 7,
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    }
    assert.equal((await server.send('POST', hooks, { metadata: { name: 'slow' }, webhooks: [hook] })).status, 201)
    let answered = false
    const answer = server.send('POST', configMaps, { metadata: { name: 'waits' } }).then((late) => {
      answered = true
      return late
    })
    await within('the call', server.asked.slow.promise)
    server.clock.step(step)
    await server.pass(6_000)
    assert.equal(answered, false, `a step of ${step} ms does not end it`)
    await server.pass(1_000)
    const { status, body } = await answer
    assert.equal(status, 500)
    assert.match(body.message, /failed calling webhook "slow\.example\.com": .*context deadline exceeded/)
  }
})
