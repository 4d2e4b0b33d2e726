/** How a daemon ends. */
import assert from 'node:assert/strict'
import { connect as connectPlain } from 'node:net'
import { type Api, apiOf, configMap, type TestList } from '../support/api.ts'
import { type Daemon, type DaemonOptions, readCredentials } from '../support/daemon.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'
import { startHeldWebhook } from './held-webhook.ts'

interface DaemonStarter {
  start(options?: DaemonOptions): Promise<Daemon>
  readonly directory: string
}

const collection = '/api/v1/namespaces/default/configmaps'
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const merge = 'application/merge-patch+json'
const held = (name: string) => configMap(name, {}, { labels: { held: 'yes' } })
/** More than the buffers of both sockets hold, so that the list is being sent until it is read. */
const large = { count: 24, data: { text: 'x'.repeat(900_000) } }

const isClosed = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connectPlain({ host: '127.0.0.1', port })
    socket.once('error', () => resolve(true))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })

/** What the log says of the shutdown, without what differs from run to run. */
const toldOf = (daemon: Daemon) =>
  daemon
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly [field: string]: unknown })
    .filter(({ msg }) => msg.startsWith('shutdown: '))
    .map(({ level: _level, ts: _ts, caller: _caller, v: _v, elapsed: _elapsed, ...told }) => told)

/** A daemon with a create and a patch that wait for a webhook. */
async function withHeldWrites(
  { start, directory }: DaemonStarter,
  flags: readonly string[],
  prepare: (api: Api) => Promise<void> = async () => {},
) {
  const webhook = await startHeldWebhook()
  const daemon = await start({ directory, flags: ['--logging-format=json', ...flags] })
  const api = apiOf(daemon.fetch)
  await prepare(api)
  await api.create(collection, held('patched'))
  await api.create(webhooks, webhook.configuration)
  const create = api.create(collection, held('created'))
  const patch = api.patch(`${collection}/patched`, { data: { patched: 'yes' } }, merge)
  await webhook.waiting(2)
  const writes = Promise.all([create, patch])
  const ended = () => {
    webhook.release()
    return within('answers to the writes', writes)
  }
  return { daemon, api, webhook, writes, ended }
}

export const shutdownFeatures = {
  async 'requests in flight end before the process does'(context: DaemonStarter) {
    const { daemon, api, webhook, ended } = await withHeldWrites(context, ['--shutdown-delay-duration=100ms'], async (api) => {
      for (let i = 0; i < large.count; i++) await api.create(collection, configMap(`large-${i}`, large.data))
    })
    const watch = await watchAt(daemon.fetch, collection, { fieldSelector: 'metadata.name=seen' })
    const list = await daemon.fetch(collection)
    await api.create(collection, configMap('seen'))

    process.kill(daemon.pid, 'SIGTERM')
    await eventually('the port is closed', () => isClosed(daemon.port))
    assert.deepEqual(
      (await watch.rest()).map(({ type }) => type),
      ['ADDED'],
    )
    const [created, patched] = await ended()
    assert.equal(created.metadata.name, 'created')
    assert.equal(patched.status, 200)
    assert.equal(((await list.json()) as TestList).items.filter(({ metadata }) => metadata.name.startsWith('large-')).length, large.count)
    assert.equal(await daemon.ended(), 0)
    webhook.close()
    assert.deepEqual(toldOf(daemon), [
      { msg: 'shutdown: not ready', signal: 'SIGTERM', delay: 100 },
      { msg: 'shutdown: draining' },
      { msg: 'shutdown: drained', aborted: 0, watches: 1 },
      { msg: 'shutdown: ended' },
    ])

    const next = apiOf((await context.start({ directory: context.directory })).fetch)
    assert.equal((await next.get(`${collection}/created`)).status, 200)
    assert.deepEqual((await next.get(`${collection}/patched`)).body.data, { patched: 'yes' })
  },

  async 'requests during a shutdown get Retry-After when asked for'(context: DaemonStarter) {
    const { daemon, webhook, ended } = await withHeldWrites(context, ['--shutdown-send-retry-after'])
    process.kill(daemon.pid, 'SIGTERM')
    const late = tlsFetch(daemon.url, readCredentials(daemon.kubeconfig))
    const refused = await eventually('a refusal', async () => {
      const response = await late.fetch(collection)
      const text = await response.text()
      return response.status === 429 && { text, headers: response.headers }
    })
    assert.equal(refused.text, 'The apiserver is shutting down, please try again later.\n')
    assert.equal(refused.headers.get('retry-after'), '5')
    assert.equal(refused.headers.get('connection'), 'close')
    assert.equal((await late.fetch('/livez')).status, 200)
    assert.equal((await late.fetch('/readyz')).status, 500)
    const [, patched] = await ended()
    assert.equal(patched.status, 200)
    late.close()
    assert.equal(await daemon.ended(), 0)
    webhook.close()
    assert.deepEqual(toldOf(daemon), [
      { msg: 'shutdown: not ready', signal: 'SIGTERM', delay: 0 },
      { msg: 'shutdown: draining' },
      { msg: 'shutdown: drained', aborted: 0, watches: 0 },
      { msg: 'shutdown: ended' },
    ])
  },

  async 'a second signal ends the process at once'(context: DaemonStarter) {
    const { daemon, webhook, writes } = await withHeldWrites(context, [])
    const cut = assert.rejects(writes, /socket hang up|ECONNRESET/)
    process.kill(daemon.pid, 'SIGTERM')
    await eventually('the port is closed', () => isClosed(daemon.port))
    process.kill(daemon.pid, 'SIGINT')
    assert.equal(await daemon.ended(), 1)
    await cut
    webhook.close()
  },
}
