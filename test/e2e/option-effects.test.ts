/**
 * What each flag about serving, limits and the server's life does, seen from outside. A flag of these groups without a row fails the suite.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2, type Settings } from 'node:http2'
import { connect as connectTcp, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { type FlagName, flagGroups, flags } from '../../core/flags/rows/index.ts'
import { startHeldWebhook } from '../conformance/held-webhook.ts'
import { type Answer, apiOf, configMap } from '../support/api.ts'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { ownAddress, registerAgent } from '../support/node-agent/start.ts'
import { root } from '../support/root.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const services = '/api/v1/namespaces/default/services'
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const directory = temporaryDirectory('option-effects')
const tokens = join(directory.path, 'tokens.csv')
writeFileSync(tokens, 'secret,jane,u1\n')

/** Flags of the daemons that rows share. */
const shared = {
  serving: [
    '--cors-allowed-origins=//ui\\.example$',
    '--strict-transport-security-directives=max-age=31536000,preload',
    '--http2-max-streams-per-connection=7',
    '--goaway-chance=0.02',
    '--min-request-timeout=1',
    '--event-ttl=1s',
    '--advertise-address=192.0.2.7',
    '--external-hostname=api.example',
    '--service-cluster-ip-range=10.9.0.0/24',
    '--service-node-port-range=31000-31003',
    '--platform-service-node-port=31001',
    '--delete-collection-workers=3',
    '--endpoint-reconciler-type=master-count',
    '--nodeagent-timeout=200ms',
    '--nodeagent-preferred-address-types=InternalIP',
  ],
  limited: [
    '--authorization-mode=AlwaysAllow',
    `--token-auth-file=${tokens}`,
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=1',
    '--max-mutating-requests-inflight=1',
    '--request-timeout=2s',
    '--disable-http2-serving',
  ],
} as const
const running = new Map<keyof typeof shared, Daemon>()

/** A flag that is shown by a request to a shared daemon, by something of its own, or by another file. */
type Row =
  | { readonly on: keyof typeof shared; show(daemon: Daemon): Promise<void> }
  | { show(): Promise<void> }
  | { readonly elsewhere: string }

const on = (daemon: keyof typeof shared, show: (daemon: Daemon) => Promise<void>): Row => ({ on: daemon, show })
const elsewhere = (file: string): Row => ({ elsewhere: file })

const asJane = ({ url, kubeconfig }: Daemon) => {
  const { fetch, close } = tlsFetch(url, { ca: readCredentials(kubeconfig).ca })
  const api = apiOf((path, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', 'Bearer secret')
    return fetch(path, { ...init, headers })
  })
  return { ...api, close }
}

/** The settings of an HTTP/2 server. */
async function settingsOf({ url, kubeconfig }: Daemon): Promise<Settings> {
  const session = connectHttp2(url, readCredentials(kubeconfig))
  const [settings] = await within('the settings', once(session, 'remoteSettings'))
  session.destroy()
  return settings
}

/** Whether the server chooses HTTP/2 when it may. */
async function protocolOf({ port, kubeconfig }: Daemon): Promise<string | false | null> {
  const socket = connect({ host: '127.0.0.1', port, ...readCredentials(kubeconfig), ALPNProtocols: ['h2', 'http/1.1'] })
  await within('the handshake', once(socket, 'secureConnect'))
  socket.destroy()
  return socket.alpnProtocol
}

const refusedAsTooMany = ({ status, headers, body }: Answer<unknown>) => {
  assert.deepEqual([status, headers.get('retry-after'), body], [429, '1', 'Too many requests, please try again later.\n'])
}

/** Uses the daemon while so many creates of config maps wait for a webhook. */
async function withHeldCreates(daemon: Daemon, names: readonly string[], use: (creates: Promise<Answer>[]) => Promise<void>) {
  const webhook = await startHeldWebhook()
  const api = apiOf(daemon.fetch)
  await api.create(webhooks, webhook.configuration)
  const jane = asJane(daemon)
  const creates = names.map((name) => jane.send('POST', collection, configMap(name, {}, { labels: { held: 'yes' } })))
  await webhook.waiting(names.length)
  await use(creates)
  webhook.release()
  await Promise.all(creates)
  await api.delete(`${webhooks}/held`)
  webhook.close()
  jane.close()
}

/** The answer to a create whose body does not come. */
async function unfinished({ port, kubeconfig }: Daemon, path: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ...readCredentials(kubeconfig) })
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n`)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await eventually('the answer', async () => text.includes('}'))
  socket.destroy()
  return text
}

/** The kernel's table of IPv4 connections. */
const tcpTable = '/proc/net/tcp'

/** Whether a connection of this local port is in TIME_WAIT, as which the kernel's table writes 06. */
function waitingOn(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(tcpTable, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  return rows.some(([, address = '', , state]) => address.endsWith(local) && state === '06')
}

const messageOf = ({ body }: Answer<unknown>) => (body as { readonly message: string }).message

const rows: { readonly [name in FlagName]?: Row } = {
  // ── Serving and networking ──
  'secure-port': on('serving', async ({ port, fetch }) => {
    assert.ok(port > 0)
    assert.equal((await fetch('/livez')).status, 200)
  }),
  'bind-address': on('serving', async ({ port }) => {
    const other = connect({ host: ownAddress() ?? '127.0.0.2', port, rejectUnauthorized: false })
    const [error] = await within('the refusal', once(other, 'error'))
    assert.match(String(error), /ECONNREFUSED/)
  }),
  'advertise-address': elsewhere('test/e2e/service-endpoints.test.ts'),
  'external-hostname': on('serving', async ({ fetch }) => {
    const { serverAddressByClientCIDRs } = (await (await fetch('/api')).json()) as {
      serverAddressByClientCIDRs: readonly { readonly serverAddress: string }[]
    }
    assert.match(serverAddressByClientCIDRs[0]?.serverAddress ?? '', /^api\.example:\d+$/)
  }),
  'cors-allowed-origins': on('serving', async ({ fetch }) => {
    const originFor = async (origin: string) => (await fetch('/api', { headers: { origin } })).headers.get('access-control-allow-origin')
    assert.equal(await originFor('https://ui.example'), 'https://ui.example')
    assert.equal(await originFor('https://other.example'), null)
  }),
  'disable-http2-serving': on('limited', async (daemon) => {
    assert.equal(await protocolOf(daemon), 'http/1.1')
    assert.equal(await protocolOf(running.get('serving') as Daemon), 'h2')
  }),
  'permit-address-sharing': {
    async show() {
      const port = await freePort()
      const options = [`--secure-port=${port}`, '--data-dir=:memory:', '--permit-address-sharing']
      const isAlive = async ({ kubeconfig }: Daemon) => {
        const { fetch, close } = tlsFetch(`https://127.0.0.1:${port}`, readCredentials(kubeconfig))
        assert.equal((await fetch('/livez')).status, 200)
        close()
      }
      const first = await startDaemon({ flags: options })
      // Without TLS: the alert with which a client answers the end of a TLS connection resets it when the server's process is gone by then.
      const client = connectTcp(port, '127.0.0.1')
      await once(client, 'connect')
      // The server has accepted the connection when it answers what came after it.
      await isAlive(first)
      const closed = once(client.resume(), 'close')
      await first.stop()
      await closed
      // The server ended the connection, which now waits on its port: without the option a listener is refused.
      if (existsSync(tcpTable)) assert.ok(waitingOn(port), 'a connection in TIME_WAIT')
      const second = await startDaemon({ flags: options })
      await isAlive(second)
      await second.stop()
    },
  },
  'permit-port-sharing': elsewhere('test/conformance/takeover.ts'),
  workers: elsewhere('test/e2e/workers.test.ts'),
  'enable-aggregator-routing': elsewhere('test/e2e/aggregation.test.ts'),
  'aggregator-reject-forwarding-redirect': elsewhere('test/e2e/aggregation.test.ts'),
  'endpoint-reconciler-type': on('serving', async ({ fetch }) => {
    const { body } = await apiOf(fetch).get<{ subsets: readonly { addresses: readonly { ip: string }[] }[] }>(
      '/api/v1/namespaces/default/endpoints/platform',
    )
    assert.deepEqual(
      body.subsets[0]?.addresses.map(({ ip }) => ip),
      ['192.0.2.7'],
    )
  }),
  'apiserver-count': elsewhere('test/e2e/service-endpoints.test.ts'),
  'platform-service-node-port': on('serving', async ({ fetch }) => {
    const { body } = await apiOf(fetch).get<{ spec: { type: string; ports: readonly { nodePort: number }[] } }>(`${services}/platform`)
    assert.deepEqual([body.spec.type, body.spec.ports[0]?.nodePort], ['NodePort', 31001])
  }),
  'service-cluster-ip-range': on('serving', async ({ fetch }) => {
    const { body } = await apiOf(fetch).get<{ spec: { clusterIP: string } }>(`${services}/platform`)
    assert.equal(body.spec.clusterIP, '10.9.0.1')
  }),
  'service-node-port-range': on('serving', async ({ fetch }) => {
    const create = (nodePort: number) =>
      apiOf(fetch).send('POST', services, {
        metadata: { name: `at-${nodePort}` },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] },
      })
    assert.equal((await create(31_002)).status, 201)
    const refused = await create(30_000)
    assert.equal(refused.status, 422)
    assert.match(messageOf(refused), /spec\.ports\[0\]\.nodePort: Invalid value: 30000: provided port is not in the valid range/)
  }),
  'nodeagent-preferred-address-types': elsewhere('test/e2e/agents-streams.test.ts'),
  'egress-selector-config-file': elsewhere('test/e2e/egress.test.ts'),
  'peer-advertise-ip': elsewhere('test/e2e/peers.test.ts'),
  'peer-advertise-port': elsewhere('test/e2e/peers.test.ts'),
  'peer-ca-file': elsewhere('test/e2e/peers.test.ts'),
  'strict-transport-security-directives': on('serving', async ({ fetch }) => {
    assert.equal((await fetch('/api')).headers.get('strict-transport-security'), 'max-age=31536000; preload')
  }),

  // ── Life ──
  'event-ttl': on('serving', async ({ fetch }) => {
    const api = apiOf(fetch)
    const events = '/api/v1/namespaces/default/events'
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' }
    await api.create(events, { metadata: { name: 'soon-gone', namespace: 'default' }, involvedObject })
    await eventually('the end of the event', async () => (await api.get(`${events}/soon-gone`)).status === 404)
  }),
  'livez-grace-period': elsewhere('test/e2e/phases.test.ts'),
  'shutdown-delay-duration': elsewhere('test/conformance/shutdown-features.ts'),
  'shutdown-send-retry-after': elsewhere('test/conformance/shutdown-features.ts'),
  'shutdown-watch-termination-grace-period': elsewhere('test/e2e/phases.test.ts'),

  // ── Limits ──
  'max-requests-inflight': on('limited', async (daemon) => {
    const api = apiOf(daemon.fetch)
    // More than the buffers of both sockets hold, so that the list is being sent until it is read.
    for (let i = 0; i < 16; i++) await api.create(collection, configMap(`large-${i}`, { text: 'x'.repeat(900_000) }))
    const jane = asJane(daemon)
    const list = await jane.fetch(collection)
    refusedAsTooMany(await jane.get(`${collection}/large-0`))
    assert.equal((await api.get(`${collection}/large-0`)).status, 200, 'administrators are exempt')
    await list.arrayBuffer()
    await eventually('a free place', async () => (await jane.get(`${collection}/large-0`)).status === 200)
    jane.close()
  }),
  'max-mutating-requests-inflight': on('limited', (daemon) =>
    withHeldCreates(daemon, ['first'], async () => {
      const jane = asJane(daemon)
      refusedAsTooMany(await jane.send('POST', collection, configMap('second')))
      assert.equal((await jane.get('/api/v1/namespaces/default')).status, 200, 'reads have places of their own')
      jane.close()
    }),
  ),
  'enable-priority-and-fairness': on('limited', async (daemon) => {
    const levelOf = async ({ fetch }: Daemon) => (await fetch('/api/v1/namespaces')).headers.get('x-kubernetes-pf-prioritylevel-uid')
    assert.equal(await levelOf(daemon), null)
    assert.match((await levelOf(running.get('serving') as Daemon)) ?? '', /^[0-9a-f-]{36}$/)
  }),
  'request-timeout': on('limited', async (daemon) => {
    const timed = async (query: string, least: number) => {
      const began = performance.now()
      const answer = await unfinished(daemon, `${collection}${query}`)
      assert.match(answer, /^HTTP\/1\.1 504 .*"Timeout: request did not complete within the allotted timeout"/s, query)
      assert.ok(performance.now() - began >= least - 20, query)
    }
    const whole = ['', '?timeout=1h', '?timeout=0s', '?timeout=-1s'].map((query) => timed(query, 2_000))
    await Promise.all([...whole, timed('?timeout=300ms', 300)])
    await withHeldCreates(daemon, ['held'], async ([create]) => {
      const { status, body } = await (create as Promise<Answer>)
      assert.deepEqual([status, messageOf({ body } as Answer)], [504, 'Timeout: request did not complete within the allotted timeout'])
    })
    for (const [text, why] of [
      ['x', 'time: invalid duration "x"'],
      ['34', 'time: missing unit in duration "34"'],
      ['1d', 'time: unknown unit "d" in duration "1d"'],
    ] as const) {
      const answer = await apiOf(daemon.fetch).get(`${collection}?timeout=${text}`)
      assert.deepEqual([answer.status, messageOf(answer)], [400, `invalid timeout specified in the request URL - ${why}`])
    }
  }),
  'min-request-timeout': on('serving', async ({ fetch }) => {
    const began = performance.now()
    const watch = await watchAt(fetch, collection, {})
    await watch.rest()
    assert.ok(performance.now() - began >= 980, 'not before the minimum')
  }),
  'max-connection-bytes-per-sec': elsewhere('test/conformance/rate-features.ts'),
  'http2-max-streams-per-connection': on('serving', async (daemon) => {
    assert.equal((await settingsOf(daemon)).maxConcurrentStreams, 7)
  }),
  'goaway-chance': on('serving', async (daemon) => {
    const session = connectHttp2(daemon.url, readCredentials(daemon.kubeconfig))
    let left = false
    session.on('goaway', (code: number) => {
      left = code === 0
    })
    // Fifty on average; one of 10^35 sessions lasts longer than the last one of these.
    for (let i = 0; i < 4_000 && !left && !session.closed; i++) {
      const stream = session.request({ ':path': '/api' })
      await within('the answer', once(stream.resume(), 'end'))
    }
    assert.equal(left, true)
    session.destroy()
  }),
  'nodeagent-timeout': on('serving', async ({ fetch }) => {
    const address = ownAddress()
    if (address === undefined) return
    // Accepts connections, and never answers the handshake.
    const silent = createServer().listen(0, address)
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    await registerAgent(apiOf(fetch), { address, port })
    const began = performance.now()
    // The default is 5 s.
    const answer = await within('the answer', apiOf(fetch).get('/api/v1/namespaces/default/pods/runner/log'), 4_000)
    assert.ok(performance.now() - began >= 180, 'not at once')
    assert.equal(answer.status, 500)
    assert.match(messageOf(answer), /TLS handshake timeout|i\/o timeout|timed? ?out/)
    silent.close()
  }),
  'delete-collection-workers': on('serving', async ({ fetch }) => {
    const webhook = await startHeldWebhook(['DELETE'])
    const api = apiOf(fetch)
    for (let i = 0; i < 5; i++) await api.create(collection, configMap(`deleted-${i}`, {}, { labels: { held: 'yes' } }))
    await api.create(webhooks, webhook.configuration)
    const deletion = api.delete(`${collection}?labelSelector=held%3Dyes`)
    await webhook.waiting(3)
    assert.equal(webhook.held(), 3)
    webhook.release()
    assert.equal((await deletion).status, 200)
    await api.delete(`${webhooks}/held`)
    webhook.close()
  }),
}

/** Flags of the groups, and those that set an option of the groups. Leader election has tests of its own. */
function flagsToShow(): readonly string[] {
  const groups = ['Serving and networking', 'Life cycle', 'Limits']
  const named = flagGroups.filter(({ title }) => groups.includes(title)).flatMap((group) => Object.entries(group.flags))
  const setting = Object.entries(flags).filter(([, { option }]) => option?.group === 'traffic' || option?.group === 'serving')
  const all = [...named, ...setting].filter(([, { option }]) => option?.group !== 'leadership')
  return [...new Set(all.map(([name]) => name))].sort()
}

describe('what flags do', { timeout: 600_000 }, () => {
  before(async () => {
    for (const [name, own] of Object.entries(shared))
      running.set(name as keyof typeof shared, await startDaemon({ flags: ['--data-dir=:memory:', ...own] }))
  })
  after(async () => {
    for (const daemon of running.values()) await daemon.stop('SIGKILL')
    directory.remove()
  })

  test('each flag has a row', () => assert.deepEqual(Object.keys(rows).sort(), flagsToShow()))

  for (const [name, row] of Object.entries(rows))
    test(`--${name}`, async () => {
      if ('elsewhere' in row) assert.match(readFileSync(join(root, row.elsewhere), 'utf8'), new RegExp(`--${name}\\b`))
      else if ('on' in row) await row.show(running.get(row.on) as Daemon)
      else await row.show()
    })
})
