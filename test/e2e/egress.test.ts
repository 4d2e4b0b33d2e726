/** A daemon that reaches etcd, node agents, pods, webhooks, an OpenID provider and a collector of traces through proxies only. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { authority, client, issued } from '../runtimes/node/support.ts'
import { type Api, apiOf } from '../support/api.ts'
import { readCredentials, runProgram, startDaemon } from '../support/daemon.ts'
import { type ProxyProcess, startProxy } from '../support/egress/start.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { kubectls, kubectlWith } from '../support/kubectl.ts'
import { type NodeAgent, startNodeAgent } from '../support/node-agent/start.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { startWebhookProcess, type WebhookProcess } from '../support/webhook-process.ts'

const { path: home, remove } = temporaryDirectory('egress')
const file = (name: string, text: string) => {
  const path = join(home, name)
  writeFileSync(path, text)
  return path
}
/** Addresses that only the proxies know (RFC 5737 and RFC 6761). */
const pod = '192.0.2.7'
const endpoint = '192.0.2.9'
const collectorPort = 4317
const [kubectl] = kubectls().slice(-1)

const files = {
  caFile: file('ca.crt', authority.certPem),
  ...(({ cert, key }) => ({ certFile: file('etcd.crt', cert), keyFile: file('etcd.key', key) }))(issued('etcd.test', '127.0.0.1')),
}
const own = (({ cert, key }) => ({ cert: file('own.crt', cert), key: file('own.key', key) }))(client('apiserver'))

type Listen = { readonly kind: 'HTTPConnect' | 'GRPC'; readonly listen: string | number; readonly tls?: boolean }

/** How a proxy is reached, in the words of the configuration. */
function connectionTo({ kind, listen, tls }: Listen): object {
  if (typeof listen === 'string') return { proxyProtocol: kind, transport: { uds: { udsName: listen } } }
  const tlsConfig = { caBundle: files.caFile, clientCert: own.cert, clientKey: own.key, tlsServerName: 'proxy.test' }
  const tcp = tls ? { url: `https://127.0.0.1:${listen}`, tlsConfig } : { url: `http://127.0.0.1:${listen}` }
  return { proxyProtocol: kind, transport: { tcp } }
}

const configuration = (ways: { readonly [name: string]: object }) =>
  JSON.stringify({
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: Object.entries(ways).map(([name, connection]) => ({ name, connection })),
  })

describe('egress', { timeout: 3_600_000 }, () => {
  let etcd: Etcd
  let agent: NodeAgent
  let plain: NodeAgent
  let hooks: WebhookProcess
  let provider: OidcProvider
  let collector: OtlpReceiver
  let hidden = 0
  /** Daemons and proxies, in the order of their start. */
  const running: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const each of running.splice(0).reverse()) await each.stop()
  }
  before(async () => {
    hidden = await freePort()
    ;[etcd, agent, plain, hooks, provider, collector] = await Promise.all([
      startEtcd({ tls: files }),
      startNodeAgent(),
      startNodeAgent({ plain: true }),
      startWebhookProcess(),
      startOidcProvider(),
      startOtlpReceiver(),
    ])
  })
  after(async () => {
    await stop()
    remove()
    await etcd?.stop()
    agent?.close()
    plain?.close()
    hooks?.stop()
    await provider?.stop()
    collector?.[Symbol.dispose]()
  })

  const portOf = (url: string) => Number(new URL(url).port)

  /** Starts a proxy for each class, and the daemon. */
  async function start(
    ways: { readonly cluster: Listen; readonly controlplane: Listen; readonly etcd: Listen },
    /** Host of the collector of traces, and what the proxy is asked for. */
    [traces, tracesAt]: readonly [host: string, addresses: readonly string[]],
  ) {
    const collectorAt = tracesAt.map((address) => `${address}:${collectorPort}`)
    const ports = {
      cluster: { [`node.test:${agent.port}`]: agent.port, [`${pod}:80`]: plain.port, [`${endpoint}:8443`]: hooks.port },
      controlplane: {
        [`localhost:${hidden}`]: hooks.port,
        [new URL(provider.issuer).host]: portOf(provider.issuer),
        ...Object.fromEntries(collectorAt.map((each) => [each, portOf(`http://${collector.endpoint}`)])),
      },
      etcd: { 'etcd.test:2379': portOf(etcd.servers[0] ?? '') },
    }
    const tls = { ...issued('proxy.test'), ca: authority.certPem }
    const begin = (name: keyof typeof ports) => {
      const { tls: secure, ...way } = ways[name]
      return startProxy({ ...way, ...(secure && { tls }), ports: ports[name] })
    }
    const began = async (name: keyof typeof ports) => {
      const proxy = await begin(name)
      running.push(proxy)
      return proxy
    }
    const proxies: { readonly [name in keyof typeof ports]: ProxyProcess } = {
      cluster: await began('cluster'),
      controlplane: await began('controlplane'),
      etcd: await began('etcd'),
    }
    const selections = Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, connectionTo(way)]))
    const issuer = {
      url: provider.issuer,
      certificateAuthority: provider.ca,
      audiences: [provider.clientId],
      egressSelectorType: 'controlplane',
    }
    const authentication = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [{ issuer, claimMappings: { username: { expression: "'oidc:' + claims.sub" } } }],
    }
    const tracing = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration', endpoint: `${traces}:${collectorPort}` }
    const daemon = await startDaemon({
      flags: [
        ...agent.flags,
        `--tracing-config-file=${file('tracing.yaml', JSON.stringify(tracing))}`,
        `--egress-selector-config-file=${file('egress.yaml', configuration(selections))}`,
        `--authentication-config=${file('authentication.yaml', JSON.stringify(authentication))}`,
        '--nodeagent-preferred-address-types=Hostname',
        '--kvstore-servers=https://etcd.test:2379',
        `--kvstore-cafile=${files.caFile}`,
        `--kvstore-certfile=${own.cert}`,
        `--kvstore-keyfile=${own.key}`,
      ],
    })
    running.push(daemon)
    return { daemon, proxies, collectorAt, api: apiOf(daemon.fetch) }
  }

  /** Creates a node, a pod and a service at the addresses that only the proxies know. */
  async function register(api: Api): Promise<void> {
    await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
    await api.create('/api/v1/nodes', {
      metadata: { name: 'agent' },
      status: { addresses: [{ type: 'Hostname', address: 'node.test' }], daemonEndpoints: { kubeletEndpoint: { Port: agent.port } } },
    })
    await api.create('/api/v1/namespaces/default/pods', {
      metadata: { name: 'runner' },
      spec: { nodeName: 'agent', containers: [{ name: 'lines', image: 'none' }] },
    })
    await api.patch('/api/v1/namespaces/default/pods/runner/status', { status: { phase: 'Running', podIP: pod, podIPs: [{ ip: pod }] } })
    await api.create('/api/v1/namespaces/default/services', {
      metadata: { name: 'hooks' },
      spec: { ports: [{ port: 443, targetPort: 8443 }] },
    })
    await api.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'hooks', labels: { 'kubernetes.io/service-name': 'hooks' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [endpoint] }],
      ports: [{ name: '', port: 8443 }],
    })
    const webhook = (name: string, clientConfig: object, plural: string) => ({
      name,
      clientConfig: { caBundle: hooks.caBundle, ...clientConfig },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [plural] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    })
    await api.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'hooks' },
      webhooks: [
        webhook('service.hooks.test', { service: { namespace: 'default', name: 'hooks', path: '/label' } }, 'configmaps'),
        webhook('url.hooks.test', { url: `https://localhost:${hidden}/label` }, 'secrets'),
      ],
    })
  }

  /** What goes through the proxies, and that it does. */
  async function exercise({ daemon, proxies, collectorAt, api }: Awaited<ReturnType<typeof start>>, name: string): Promise<void> {
    assert.deepEqual([...new Set(proxies.etcd.asked())], ['etcd.test:2379'], 'the store')

    const log = await daemon.fetch('/api/v1/namespaces/default/pods/runner/log?container=lines')
    assert.equal((await log.text()).split('\n').length, 1001)
    assert.ok(proxies.cluster.asked().includes(`node.test:${agent.port}`), 'the node agent')
    const proxied = await daemon.fetch('/api/v1/namespaces/default/pods/runner:80/proxy/echo?a=b')
    assert.equal(proxied.status, 200, await proxied.text())
    assert.ok(proxies.cluster.asked().includes(`${pod}:80`), 'the pod')
    if (kubectl !== undefined) {
      const executed = await kubectlWith(kubectl, daemon.kubeconfig, home).try([
        'exec',
        'runner',
        '-c',
        'lines',
        '--',
        'sh',
        '-c',
        'echo out; exit 3',
      ])
      assert.match(executed.stdout, /^out/)
      assert.match(executed.stderr, /exit code 3/)
    }

    for (const [plural, what, at] of [
      ['configmaps', 'cluster', `${endpoint}:8443`],
      ['secrets', 'controlplane', `localhost:${hidden}`],
    ] as const) {
      const created = (await api.create(`/api/v1/namespaces/default/${plural}`, { metadata: { name } })) as {
        metadata: { labels?: object }
      }
      assert.deepEqual(created.metadata.labels, { checked: 'yes' }, plural)
      assert.ok(proxies[what].asked().includes(at), `the webhook for ${plural}`)
    }

    const token = await provider.login('alice')
    const { ca } = readCredentials(daemon.kubeconfig)
    const bearer = tlsFetch(daemon.url, { ca, cert: '', key: '' })
    await eventually('the login', async () => {
      const response = await bearer.fetch('/api/v1/nodes', { headers: { authorization: `Bearer ${token}` } })
      return (await response.text()).includes('oidc:alice')
    })
    bearer.close()
    assert.ok(proxies.controlplane.asked().includes(new URL(provider.issuer).host), 'the OpenID provider')

    const trace = name === 'http' ? '1'.repeat(32) : '2'.repeat(32)
    await (await daemon.fetch('/version', { headers: { traceparent: `00-${trace}-${'3'.repeat(16)}-01` } })).text()
    await collector.trace(trace, (spans) => spans.length > 0)
    assert.ok(
      collectorAt.some((each) => proxies.controlplane.asked().includes(each)),
      'the collector of traces',
    )

    const metrics = await (await daemon.fetch('/metrics')).text()
    for (const metric of ['start_total', 'duration_seconds_count'])
      assert.match(metrics, new RegExp(`^apiserver_egress_dialer_dial_${metric}\\{`, 'm'))
  }

  test('HTTP proxies, with TLS and without', async () => {
    const started = await start(
      {
        cluster: { kind: 'HTTPConnect', listen: await freePort(), tls: true },
        controlplane: { kind: 'HTTPConnect', listen: await freePort() },
        etcd: { kind: 'HTTPConnect', listen: join(home, 'etcd.sock') },
      },
      ['192.0.2.11', ['192.0.2.11']],
    )
    await register(started.api)
    await exercise(started, 'http')
    await stop()
  })

  test('konnectivity servers', async () => {
    const started = await start(
      {
        cluster: { kind: 'GRPC', listen: join(home, 'cluster.sock') },
        controlplane: { kind: 'GRPC', listen: join(home, 'controlplane.sock') },
        etcd: { kind: 'GRPC', listen: join(home, 'store.sock') },
        // The server resolves the name, as gRPC's library does.
      },
      ['localhost', ['127.0.0.1', '[::1]']],
    )
    await exercise(started, 'grpc')
    // A proxy that is gone: an error that says so, and no direct connection.
    await started.proxies.cluster.stop()
    const log = await started.daemon.fetch('/api/v1/namespaces/default/pods/runner/log?container=lines')
    assert.match(await log.text(), /dial unix .*cluster\.sock: connect: connection refused/)
    assert.equal(log.status, 500)
    const metrics = await (await started.daemon.fetch('/metrics')).text()
    assert.match(metrics, /^apiserver_egress_dialer_dial_failure_count\{protocol="grpc",stage="connect",transport="uds"\} [1-9]/m)
    await stop()
  })

  test('a file that can not be used ends the start with one line that names flag, file and field', async () => {
    const direct = { proxyProtocol: 'Direct' }
    const tcp = (url: string, tlsConfig?: object) => ({
      proxyProtocol: 'HTTPConnect',
      transport: { tcp: { url, ...(tlsConfig && { tlsConfig }) } },
    })
    const tls = { caBundle: files.caFile, clientCert: own.cert, clientKey: own.key }
    const cases: readonly (readonly [string, object, string])[] = [
      [
        'protocol',
        { cluster: { proxyProtocol: 'SOCKS' } },
        'service.connection.protocol: Unsupported value: "SOCKS": supported values: "Direct", "HTTPConnect", "GRPC"',
      ],
      ['name', { nodes: direct }, 'service.connection: Unsupported value: "nodes": supported values: "cluster", "controlplane", "etcd"'],
      ['twice', { master: direct, controlplane: direct }, 'service.connection[1]: Duplicate value: "controlplane"'],
      [
        'direct',
        { etcd: { ...tcp('http://x'), proxyProtocol: 'Direct' } },
        'service.connection.transport: Invalid value: "direct": config must be absent for direct connect',
      ],
      ['no transport', { etcd: { proxyProtocol: 'GRPC' } }, 'service.connection.transport: Required value: transport must be set for GRPC'],
      [
        'TCP',
        { etcd: { ...tcp('https://x', tls), proxyProtocol: 'GRPC' } },
        'service.connection.uds: Required value: UDS must be set with GRPC',
      ],
      [
        'scheme',
        { etcd: tcp('ftp://x') },
        'service.connection.url: Invalid value: "ftp://x": supported connection protocols are http:// and https://',
      ],
      ['no TLS', { etcd: tcp('https://x') }, 'service.connection.tlsConfig: Required value: TLSConfig must be present when using HTTPS'],
      [
        'no file',
        { etcd: tcp('https://x', { ...tls, clientKey: join(home, 'none') }) },
        `service.connection.tlsConfig.clientKey: Invalid value: "${join(home, 'none')}": TLS client key does not exist`,
      ],
      ['wrong key', { etcd: tcp('https://x', { ...tls, clientKey: files.keyFile }) }, 'service.connection.tlsConfig: '],
    ]
    for (const [name, ways, expected] of cases) {
      const path = file(`${name}.yaml`, configuration(ways as { [name: string]: object }))
      const { code, stderr } = await runProgram([
        `--egress-selector-config-file=${path}`,
        '--data-dir=:memory:',
        `--cert-dir=${join(home, 'pki')}`,
      ])
      assert.equal(code, 1, name)
      assert.ok(stderr.startsWith(`error: --egress-selector-config-file: ${path}: ${expected}`), `${name}: ${stderr}`)
      assert.equal(stderr.trimEnd().split('\n').length, 1)
    }
  })
})
