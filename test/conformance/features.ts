/** Features of the daemon beyond the API. Each is a row of README's table of runtimes, tested by a client on Node. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { apiOf, configMap, type TestObject } from '../support/api.ts'
import { type Daemon, type DaemonOptions, readCredentials, startDaemon } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually, within } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'
import type { DaemonRuntime } from './daemons.ts'
import { type Furniture, furnish, namedHost } from './furnish.ts'
import { rateFeatures } from './rate-features.ts'
import { shutdownFeatures } from './shutdown-features.ts'
import { websocketFeatures } from './websocket-features.ts'

interface FeatureContext {
  /** Shared by the features that neither stop the daemon nor change its files. `furniture`: its certificates and tokens. */
  readonly daemon: Daemon
  readonly furniture: Furniture
  /** Starts a daemon that is stopped at the end of the test. */
  start(options?: DaemonOptions): Promise<Daemon>
  /** Temporary directory of the test. */
  readonly directory: string
}

type Feature = (context: FeatureContext) => Promise<void>

const collection = '/api/v1/namespaces/default/configmaps'
const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const json = { 'content-type': 'application/json' }

async function secure(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  await within('TLS handshake', once(socket, 'secureConnect'))
  return socket
}

/** Username according to SelfSubjectReview, asked over an open connection. */
async function whoAmI(socket: TLSSocket): Promise<string> {
  socket.write(`POST ${review} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await within('answer', once(socket, 'end'))
  return /"username":"([^"]*)"/.exec(text)?.[1] ?? text
}

async function overHttp2(daemon: Daemon, path: string, body?: string): Promise<string> {
  const session = connectHttp2(daemon.url, readCredentials(daemon.kubeconfig))
  try {
    const stream = session.request({ ':path': path, ':method': body ? 'POST' : 'GET', ...json })
    stream.end(body)
    let text = ''
    for await (const chunk of stream.setEncoding('utf8')) text += chunk
    return text
  } finally {
    session.destroy()
  }
}

/** HTTP status for a client without a certificate: with a bearer token, or anonymous. */
async function statusWith(daemon: Daemon, token: string | undefined): Promise<number> {
  const { fetch, close } = tlsFetch(daemon.url, { ca: readCredentials(daemon.kubeconfig).ca, cert: '', key: '' })
  try {
    return (await fetch(collection, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status
  } finally {
    close()
  }
}

const subjectOf = (socket: TLSSocket): string => {
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

const etcd = (() => {
  try {
    execFileSync('etcd', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const features: { readonly [title: string]: Feature } = {
  async 'TLS 1.2 and 1.3'({ daemon: { port } }) {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await secure(port, { minVersion: version, maxVersion: version })
      assert.equal(socket.getProtocol(), version)
      socket.destroy()
    }
  },

  async 'HTTP/2 and HTTP/1.1'({ daemon }) {
    assert.equal(await overHttp2(daemon, '/readyz'), 'ok')
    assert.equal(await (await daemon.fetch('/readyz')).text(), 'ok')
  },

  async 'paths as on the request line, whatever the host'({ daemon: { port, kubeconfig } }) {
    const credentials = readCredentials(kubeconfig)
    const statuses: readonly (readonly [line: string, host: string, status: number])[] = [
      ['GET /readyz', 'x', 200],
      ['GET /readyz', '', 200],
      ['GET /readyz', 'x:99999', 200],
      ['GET /readyz', 'x/api/v1/namespaces?', 400],
      ['GET /readyz', 'x\\y', 400],
      ['GET /readyz', 'x@y', 400],
      ['GET /readyz', 'x\ty', 400],
      ['GET /x/../readyz', 'x', 404],
      ['GET /./readyz', 'x', 404],
      ['GET //readyz', 'x', 404],
      ['GET /%2e%2e/readyz', 'x', 404],
      ['GET /healthz\\..\\version', 'x', 404],
      ['GET /readyz#x', 'x', 404],
      ['GET /readyz%zz', 'x', 400],
      ['GET /%72eadyz', 'x', 200],
      ['GET https://y/readyz', 'x', 200],
      ['GET /api/v1/nodes/%2e%2e', 'x', 400],
      ['GET /api%2fv1/namespaces%2fdefault', 'x', 200],
      ['OPTIONS *', 'x', 200],
    ]
    for (const [line, host, status] of statuses) {
      const socket = await secure(port, credentials)
      socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      let text = ''
      socket.on('data', (bytes) => (text += bytes)).on('error', () => {})
      await within(line, once(socket, 'close'))
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${line}, host ${host}`)
    }
  },

  async 'connections kept alive'({ daemon }) {
    const socket = await secure(daemon.port, readCredentials(daemon.kubeconfig))
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    for (const [at, round] of ['first', 'second', 'third'].entries()) {
      const body = JSON.stringify(configMap(`on-one-connection-${round}`))
      const head = `POST ${collection} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
      socket.write(head + body)
      await eventually(`the ${round} answer`, async () => text.match(/HTTP\/1\.1 201 /g)?.length === at + 1)
    }
    socket.destroy()
  },

  async 'client certificates'({ daemon }) {
    assert.match(await overHttp2(daemon, review, '{}'), /"username":"platform-admin"/, 'HTTP/2')
    const socket = await secure(daemon.port, readCredentials(daemon.kubeconfig))
    assert.equal(await whoAmI(socket), 'platform-admin', 'HTTP/1.1')
  },

  async 'client certificates through an intermediate authority'({ daemon, furniture }) {
    const socket = await secure(daemon.port, furniture.jane)
    assert.equal(await whoAmI(socket), 'jane')
  },

  async 'client certificates on resumed TLS sessions'({ daemon }) {
    const client = readCredentials(daemon.kubeconfig)
    const first = await secure(daemon.port, client)
    let session: Buffer | undefined = first.getSession()
    first.on('session', (fresh: Buffer) => {
      session = fresh
    })
    await whoAmI(first)
    const second = await secure(daemon.port, { ...client, ...(session && { session }) })
    assert.equal(await whoAmI(second), 'platform-admin')
  },

  async 'serving certificates by server name'({ daemon: { port } }) {
    assert.equal(subjectOf(await secure(port, { servername: namedHost })), 'named')
    assert.equal(subjectOf(await secure(port, { servername: 'other.test' })), 'apiserver')
  },

  async 'serving certificates read again when their files change'({ start, directory }) {
    const authority = issueAuthority('authority', newKey(), Date.now())
    const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')]
    const write = (commonName: string) => {
      const { certPem, keyPem } = issue(authority, { commonName, names: ['localhost'] }, Date.now())
      writeFileSync(certFile, certPem)
      writeFileSync(keyFile, keyPem)
    }
    write('before')
    const { port } = await start({ flags: [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`] })
    assert.equal(subjectOf(await secure(port, {})), 'before')
    write('after')
    await eventually('the new certificate', async () => subjectOf(await secure(port, {})) === 'after')
  },

  async 'watches over HTTP/2 and HTTP/1.1'({ daemon }) {
    const api = apiOf(daemon.fetch)
    const watch = await watchAt(daemon.fetch, collection, { fieldSelector: 'metadata.name=w' })
    const session = connectHttp2(daemon.url, readCredentials(daemon.kubeconfig))
    const stream = session.request({ ':path': `${collection}?watch=true&fieldSelector=metadata.name%3Dw` })
    await within('the answer to the watch', once(stream, 'response'))
    await api.create(collection, configMap('w'))
    const [chunk] = (await within('the event over HTTP/2', once(stream, 'data'))) as [Buffer]
    assert.match(chunk.toString(), /"type":"ADDED"/)
    session.destroy()
    assert.equal((await watch.object()).type, 'ADDED')
    await watch.close()
  },

  ...websocketFeatures,

  async 'a durable store that survives kill -9'({ start, directory }) {
    const home = join(directory, 'home')
    mkdirSync(home)
    const first = await start({ directory: home })
    const api = apiOf(first.fetch)
    const acknowledged: string[] = []
    const writing = Promise.allSettled(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; ; i++) {
          const { status } = await api.send<TestObject>('POST', collection, configMap(`w${writer}-${i}`))
          if (status === 201) acknowledged.push(`w${writer}-${i}`)
        }
      }),
    )
    await eventually('writes', async () => acknowledged.length > 100)
    await Promise.all([first.stop('SIGKILL'), writing])
    const second = await start({ directory: home })
    const { items } = await apiOf(second.fetch).list(collection)
    const there = new Set(items.map(({ metadata }) => metadata.name))
    assert.deepEqual(
      acknowledged.filter((name) => !there.has(name)),
      [],
      'acknowledged, and gone',
    )
  },

  ...(etcd && {
    async 'etcd as the store'({ start }) {
      const cluster = await startEtcd()
      try {
        const flags = [`--kvstore-servers=${cluster.servers.join(',')}`]
        const daemons = [await start({ flags }), await start({ flags })]
        const [first, second] = daemons.map((daemon) => apiOf(daemon.fetch))
        assert(first && second, 'two replicas')
        const watch = await watchAt(second.fetch, collection, { fieldSelector: 'metadata.name=shared' })
        await first.create(collection, configMap('shared'))
        assert.equal((await watch.object()).type, 'ADDED')
        await watch.close()
        for (const daemon of daemons) await daemon.stop()
      } finally {
        await cluster.stop()
      }
    },
  }),

  async 'traces to a collector, and klog lines with the place of each call'({ start, directory }) {
    using collector = await startOtlpReceiver()
    const file = join(directory, 'tracing.yaml')
    writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: ${collector.endpoint}\n`)
    const daemon = await start({ flags: ['--data-dir=:memory:', `--tracing-config-file=${file}`, '--v=3'] })
    const traceId = '1'.repeat(32)
    const response = await daemon.fetch(collection, { headers: { traceparent: `00-${traceId}-2222222222222222-01` } })
    await response.arrayBuffer()
    await daemon.stop()
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    assert.ok(spans.some(({ name, parent }) => name.startsWith('GET /api/v1/') && parent === '2222222222222222'))
    assert.ok(spans.some(({ name }) => name === 'List'))
    assert.match(
      daemon.log(),
      /^I\d{4} [\d:.]{15} +\d+ request-log\.ts:\d+\] "HTTP" verb="LIST" URI="\/api\/v1\/namespaces\/default\/configmaps" /m,
    )
  },

  ...shutdownFeatures,

  ...rateFeatures,

  async 'mutual TLS to webhooks'({ daemon, furniture }) {
    assert.equal(await statusWith(daemon, furniture.tokens.asked), 200)
  },

  async 'static tokens, and anonymous requests'({ daemon, furniture }) {
    assert.equal(await statusWith(daemon, furniture.tokens.administrator), 200)
    assert.equal(await statusWith(daemon, undefined), 403)
    assert.equal(await statusWith(daemon, 'wrong'), 401)
  },
}

/** One test per feature. For a feature in `gaps` the test is expected to fail, with the gap's reason. */
export function featuresOn({ name, command, skip, gaps }: DaemonRuntime): void {
  describe(`features on ${name}`, { skip, concurrency: 2 }, () => {
    const home = temporaryDirectory()
    let furniture: Furniture | undefined
    let shared: Daemon | undefined
    before(async () => {
      furniture = await furnish(home.path)
      shared = await startDaemon({ command: command(), flags: furniture.flags })
    })
    after(async () => {
      await shared?.stop('SIGKILL')
      furniture?.close()
      home.remove()
    })
    for (const [title, run] of Object.entries(features)) {
      const gap = gaps[title]
      test(title, { timeout: 3_600_000, ...(gap !== undefined && { todo: gap }) }, async () => {
        assert(furniture && shared)
        const { path: directory, remove } = temporaryDirectory()
        const started: Daemon[] = []
        const start = async (options?: DaemonOptions) => {
          const daemon = await startDaemon({ ...options, command: command() })
          started.push(daemon)
          return daemon
        }
        try {
          await run({ daemon: shared, furniture, start, directory })
        } finally {
          for (const daemon of started) await daemon.stop('SIGKILL').catch(() => undefined)
          remove()
        }
      })
    }
  })
}
