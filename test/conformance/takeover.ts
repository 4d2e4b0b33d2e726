/** A new daemon takes over the port of an old one, with clients that do not try again: two processes, one etcd. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent, request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { migratesConnections } from '../../runtimes/node/http/port-sharing.ts'
import { apiOf, configMap, type TestObject } from '../support/api.ts'
import { killedAtExit } from '../support/child.ts'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import type { ClientFiles } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'
import type { DaemonRuntime } from './daemons.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const one = `${collection}/kube-root-ca.crt`

/** A client sends one request after the other. Resolves to the status; rejects when there is none. */
interface Client {
  send(method: string, path: string, body?: string): Promise<number>
  close(): void
}

/** With `keepAlive` a connection is used as long as the server permits; otherwise each request has one of its own. */
function overHttp1(port: number, credentials: ClientFiles, keepAlive: boolean): Client {
  const agent = new Agent({ ...credentials, keepAlive, maxCachedSessions: 0 })
  return {
    async send(method, path, body) {
      const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers })
      outgoing.end(body)
      const [incoming] = await once(outgoing, 'response')
      for await (const _ of incoming);
      return incoming.statusCode
    },
    close: () => agent.destroy(),
  }
}

/** Opens a connection when it has none, and when the server has announced the end of the last one (GOAWAY). */
function overHttp2(port: number, credentials: ClientFiles): Client {
  let session: ClientHttp2Session | undefined
  const current = async () => {
    while (session === undefined || session.closed || session.destroyed) {
      session = connectHttp2(`https://127.0.0.1:${port}`, credentials)
      // A request that it fails says so itself.
      session.on('error', () => undefined)
      await once(session, 'remoteSettings')
    }
    return session
  }
  return {
    async send(method, path, body) {
      const stream = (await current()).request({ ':method': method, ':path': path, ...(body && { 'content-type': 'application/json' }) })
      stream.end(body)
      const [head] = await once(stream, 'response')
      for await (const _ of stream);
      return head[':status']
    },
    close: () => session?.destroy(),
  }
}

/** Clients that send without a break until they are told to end. */
function startLoad(port: number, credentials: ClientFiles) {
  const kinds = {
    'kept alive': () => overHttp1(port, credentials, true),
    'connection per request': () => overHttp1(port, credentials, false),
    'HTTP/2': () => overHttp2(port, credentials),
  }
  let ending = false
  const answered = new Map<string, number>()
  const failures: string[] = []
  const created: string[] = []
  const run = async (kind: string, client: Client, number: number) => {
    for (let i = 0; !ending; i++) {
      const name = `c${number}-${i}`
      const isWrite = i % 4 === 0
      try {
        const status = isWrite ? await client.send('POST', collection, JSON.stringify(configMap(name))) : await client.send('GET', one)
        if (status !== (isWrite ? 201 : 200)) failures.push(`${kind}: status ${status}`)
        else if (isWrite) created.push(name)
      } catch (error) {
        failures.push(`${kind}: ${String(error)}`)
      }
      answered.set(kind, (answered.get(kind) ?? 0) + 1)
    }
    client.close()
  }
  const runs = Object.entries(kinds).flatMap(([kind, open], at) => [0, 1].map((copy) => run(kind, open(), 2 * at + copy)))
  return {
    failures,
    created,
    /** Resolves when each kind of client has had so many answers more. */
    async more(count: number) {
      const before = new Map(answered)
      const had = (kind: string) => (answered.get(kind) ?? 0) - (before.get(kind) ?? 0)
      await eventually('more answers', async () => Object.keys(kinds).every((kind) => had(kind) >= count))
    },
    async end() {
      ending = true
      await within('the end of the load', Promise.all(runs))
    },
  }
}

/** Names that a client sees who watches again when a watch ends. */
function startWatch(fetch: Daemon['fetch'], resourceVersion: string) {
  const seen = new Set<string>()
  const failures: string[] = []
  const leaving = new AbortController()
  let from = resourceVersion
  const watch = async () => {
    const response = await fetch(`${collection}?watch=true&resourceVersion=${from}`, { signal: leaving.signal })
    // Of a server that is shutting down.
    if (response.status === 503) return void (await response.arrayBuffer())
    if (response.status !== 200 || response.body === null) throw new Error(`status ${response.status}`)
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const { object } = JSON.parse(line) as { object: TestObject }
        from = object.metadata.resourceVersion ?? from
        seen.add(object.metadata.name)
      }
    }
    if (text !== '') throw new Error('an event was cut off')
  }
  const run = async () => {
    while (!leaving.signal.aborted)
      await watch().catch((error: unknown) => {
        if (!leaving.signal.aborted) failures.push(`watch: ${String(error)}`)
      })
  }
  const running = run()
  return {
    seen,
    failures,
    async end() {
      leaving.abort()
      await running
    },
  }
}

const parameter = 'net.ipv4.tcp_migrate_req'
/** Without it, the kernel may reset a connection that is being opened: one run in thirty on a busy machine. */
const unsafe = migratesConnections() === false && `the kernel parameter ${parameter} is 0, and only root can make a network where it is 1`

/** Runs a program in a network namespace of its own, with the parameter; its arguments follow. */
const inOwnNetwork = [
  'unshare',
  '--net',
  'sh',
  '-ec',
  `ip link set lo up; echo 1 > /proc/sys/${parameter.replaceAll('.', '/')}; exec "$@"`,
  'sh',
]

/** Runs a program there; resolves to its exit status, and what it has printed. */
async function runInOwnNetwork(...program: readonly string[]): Promise<{ readonly status: number | null; readonly output: string }> {
  const [command = '', ...argv] = [...inOwnNetwork, ...program]
  // A test file that runs by itself.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const child = killedAtExit(spawn(command, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => parts.push(part))
  const [status] = (await Promise.race([once(child, 'close'), once(child, 'error')])) as [number | Error | null]
  return { status: typeof status === 'number' ? status : null, output: Buffer.concat(parts).toString() }
}

export async function takeoverOn(runtime: DaemonRuntime): Promise<void> {
  const isPossible = unsafe !== false && runtime.skip === false && (await runInOwnNetwork('true')).status === 0
  if (!isPossible) return takeover(runtime)
  test(`port sharing on ${runtime.name}, in a network of its own`, { timeout: 3_600_000 }, async () => {
    const { status, output } = await runInOwnNetwork(process.execPath, ...process.execArgv, process.argv[1] ?? '')
    assert.equal(status, 0, output)
    assert.match(output, /^# pass 1$|ℹ pass 1$/m)
  })
}

function takeover({ name, command, skip }: DaemonRuntime): void {
  describe(`port sharing on ${name}`, { skip: skip || unsafe, timeout: 3_600_000 }, () => {
    let etcd: Etcd
    before(async () => {
      etcd = await startEtcd()
    })
    after(() => etcd?.stop())

    test('a new daemon takes over under load, and no client sees an error', async () => {
      const { path: directory, remove } = temporaryDirectory()
      const daemons: Daemon[] = []
      const start = async (...flags: readonly string[]) => {
        const shared = ['--permit-port-sharing', '--logging-format=json', `--kvstore-servers=${etcd.servers.join(',')}`]
        const daemon = await startDaemon({ command: command(), directory, flags: [...shared, ...flags] })
        daemons.push(daemon)
        return daemon
      }
      try {
        const old = await start()
        await apiOf(old.fetch).create(collection, configMap('kube-root-ca.crt'))
        const { metadata } = await apiOf(old.fetch).list(collection)
        const watch = startWatch(old.fetch, metadata.resourceVersion)
        const load = startLoad(old.port, readCredentials(old.kubeconfig))
        await load.more(10)
        await start(`--secure-port=${old.port}`)
        await load.more(10)
        process.kill(old.pid, 'SIGTERM')
        assert.equal(await old.ended(), 0)
        assert.match(old.log(), /"aborted":0,.*"msg":"shutdown: drained"/)
        await load.more(10)
        await load.end()
        await eventually('the events', async () => load.created.every((each) => watch.seen.has(each)))
        await watch.end()
        assert.deepEqual([...load.failures, ...watch.failures], [])
      } finally {
        for (const daemon of daemons) await daemon.stop('SIGKILL').catch(() => undefined)
        remove()
      }
    })
  })
}
