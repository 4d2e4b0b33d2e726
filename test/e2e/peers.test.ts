/** Servers of one cluster that serve different group versions: each sends requests on to the other. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Status } from '../../core/answers/status.ts'
import { type Material, material } from '../support/aggregation.ts'
import { type Api, apiOf, assertFailure } from '../support/api.ts'
import { bundle, type Daemon, readCredentials, runProgram, startDaemon } from '../support/daemon.ts'
import { type ProxyProcess, startProxy } from '../support/egress/start.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { identityOnHost, onHost, type Peer, peersOf, servedBy } from '../support/peers.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'

const cronJobs = '/apis/batch/v1/namespaces/default/cronjobs'
const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const aliceToken = 'alice-51c0aa'
/** An address of the first server that only the proxy knows (RFC 5737). */
const hidden = { ip: '192.0.2.5', port: 7443 }

const cronJob = (name: string) => ({
  kind: 'CronJob',
  apiVersion: 'batch/v1',
  metadata: { name },
  spec: {
    schedule: '0 0 * * *',
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'none' }] } } },
    },
  },
})

const scaler = (name: string) => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  metadata: { name },
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
})

const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'widgets.peers.example.com' },
  spec: {
    group: 'peers.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

describe('peers', { timeout: 3_600_000 }, () => {
  const directory = temporaryDirectory('peers')
  let made: Material
  let etcd: Etcd
  let proxy: ProxyProcess
  /** It has no batch/v1; the other one has no autoscaling. */
  let first: Peer
  let second: Peer
  let firstDaemon: Daemon
  let secondDaemon: Daemon

  function flagsOf(name: string, more: readonly string[]): readonly string[] {
    return [
      '--platform=kubernetes',
      ...made.frontFlags,
      `--tls-cert-file=${made.file(`${name}.crt`, made.serving.certPem)}`,
      `--tls-private-key-file=${made.file(`${name}.key`, made.serving.keyPem)}`,
      `--peer-ca-file=${made.file('peers.crt', made.authority)}`,
      `--token-auth-file=${made.file('tokens.csv', `${aliceToken},alice,alice-uid,"ops"\n`)}`,
      `--etcd-servers=${etcd.servers.join(',')}`,
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      ...more,
    ]
  }
  const start = (name: string, more: readonly string[]) => startDaemon({ command: onHost(name), flags: flagsOf(name, more) })
  const apiAt = (daemon: Daemon): Peer => peersOf(tlsFetch(daemon.url, { ...readCredentials(daemon.kubeconfig), ca: made.authority }).fetch)
  const as = (daemon: Daemon, headers: { readonly [name: string]: string }): Api => {
    const { fetch } = tlsFetch(daemon.url, { ca: made.authority })
    return apiOf((path, init = {}) => fetch(path, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } }))
  }
  const startSecond = () =>
    start('second', [
      '--runtime-config=autoscaling/v1=false,autoscaling/v2=false',
      `--egress-selector-config-file=${made.file('egress.json', egress)}`,
    ])
  const egress = JSON.stringify({
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [
      {
        name: 'controlplane',
        connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: join(directory.path, 'proxy.sock') } } },
      },
    ],
  })
  const untilServed = (peer: Peer, path: string) => eventually(`${path} is served`, async () => (await peer.api.get(path)).status === 200)

  before(async () => {
    made = material(directory.path)
    etcd = await startEtcd()
    firstDaemon = await start('first', [
      '--runtime-config=batch/v1=false',
      `--peer-advertise-ip=${hidden.ip}`,
      `--peer-advertise-port=${hidden.port}`,
    ])
    first = apiAt(firstDaemon)
    // The second server is told of it when it starts.
    await first.api.create(definitions, definition)
    await eventually('the custom resource', async () => (await first.alone()).has('peers.example.com/v1'))
    proxy = await startProxy({
      kind: 'HTTPConnect',
      listen: join(directory.path, 'proxy.sock'),
      ports: { [`${hidden.ip}:${hidden.port}`]: firstDaemon.port },
    })
    secondDaemon = await startSecond()
    second = apiAt(secondDaemon)
    await Promise.all([untilServed(first, cronJobs), untilServed(second, scalers)])
  })
  after(async () => {
    await Promise.all([firstDaemon?.stop(), secondDaemon?.stop()])
    await proxy?.stop()
    await etcd?.stop()
    directory.remove()
  })

  test('all verbs work at the server that does not have the resource, and a watch gets its events one by one', async () => {
    const { api } = first
    const watch = await watchAt(api.fetch, cronJobs)
    const created = await api.create(cronJobs, cronJob('nightly'))
    assert.deepEqual([(await watch.object()).type, created.spec?.['schedule']], ['ADDED', '0 0 * * *'])
    const patched = await api.patch(`${cronJobs}/nightly`, { spec: { schedule: '0 1 * * *' } })
    assert.deepEqual([patched.status, patched.body.spec?.['schedule']], [200, '0 1 * * *'])
    assert.equal((await watch.object()).type, 'MODIFIED')
    const [read, stored] = await Promise.all([first, second].map(({ api }) => api.get(`${cronJobs}/nightly`)))
    assert.deepEqual(read?.body, stored?.body, 'both servers have the same object')
    const table = await api.get<{ kind: string }>(cronJobs, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
    assert.equal(table.body.kind, 'Table')
    assertFailure(await api.get(`${cronJobs}/none`), 404, 'NotFound', 'cronjobs.batch "none" not found')
    assertFailure(await api.send('POST', cronJobs, { ...cronJob('x'), spec: {} }), 422, 'Invalid')
    assert.equal((await api.delete(`${cronJobs}/nightly`)).status, 200)
    assert.equal((await watch.object()).type, 'DELETED')
    await watch.close()
  })

  test('the advertised address is the one that is used, through the egress proxy of the control plane', async () => {
    await second.api.create(scalers, scaler('web'))
    assert.deepEqual(
      (await second.api.list(scalers)).items.map(({ metadata }) => metadata.name),
      ['web'],
    )
    assert.deepEqual([...new Set(proxy.asked())], [`${hidden.ip}:${hidden.port}`])
    const { body } = await second.api.get(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${identityOnHost('first')}`)
    const { 'apiserver.kubernetes.io/service-account-keys': keys = '', ...others } = body.metadata.annotations ?? {}
    assert.deepEqual(others, { 'kubernetes.io/peer-advertise-address': `${hidden.ip}:${hidden.port}` })
    assert.match(keys, /^[\w-]{43}(,[\w-]{43})+$/)
  })

  test('both servers give the same aggregated list of all groups, and their own one to those who ask for it', async () => {
    const [one, other] = await Promise.all([first.all(), second.all()])
    assert.deepEqual([...one], [...other])
    for (const groupVersion of ['batch/v1', 'autoscaling/v1', 'autoscaling/v2', 'apps/v1', 'peers.example.com/v1'])
      assert.ok(one.has(groupVersion), groupVersion)
    assert.ok(one.get('batch/v1')?.includes('cronjobs'))
    const [ownOfOne, ownOfOther] = await Promise.all([first.alone(), second.alone()])
    assert.deepEqual([ownOfOne.has('batch/v1'), ownOfOne.has('autoscaling/v2')], [false, true])
    assert.deepEqual([ownOfOther.has('batch/v1'), ownOfOther.has('autoscaling/v2')], [true, false])
    const again = await first.api.get('/apis', { accept: servedBy.all })
    const unchanged = await first.api.get('/apis', { accept: servedBy.all, 'if-none-match': again.headers.get('etag') ?? '' })
    assert.deepEqual([again.status, unchanged.status], [200, 304])
    // The list of one group version is the server's own.
    assert.equal((await first.api.get('/apis/batch/v1')).status, 404)
  })

  test('the request runs as the user of the client, whose credentials stay here', async () => {
    const alice = as(firstDaemon, { authorization: `Bearer ${aliceToken}` })
    assertFailure(await alice.get(cronJobs), 403, 'Forbidden')
    const meta = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'cronjobs', namespace: 'default' } }
    await first.api.create('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      ...{ kind: 'Role', ...meta, rules: [{ apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list'] }] },
    })
    await first.api.create('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      ...{ kind: 'RoleBinding', ...meta, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'cronjobs' } },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'ops' }],
    })
    await eventually('the right', async () => (await alice.get(cronJobs)).status === 200)
    assertFailure(await alice.get(`${cronJobs}/a`), 403, 'Forbidden')
  })

  test('a request is sent on once; the header gives nobody a right', async () => {
    const sentOn = { 'x-kubernetes-peer-proxied': 'true' }
    assert.equal((await first.api.get(cronJobs, sentOn)).status, 404)
    assert.equal((await first.api.get(cronJobs, { 'x-kubernetes-peer-proxied': 'false' })).status, 200)
    const forged = { ...sentOn, 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    assert.equal((await as(secondDaemon, forged).get(cronJobs)).status, 403)
    assert.equal((await as(firstDaemon, forged).get(cronJobs)).status, 403)
  })

  test('what no server serves is unknown, and group versions of custom resources end with their definition', async () => {
    assert.equal((await first.api.get('/apis/batch/v1/namespaces/default/none')).status, 404)
    assert.equal((await first.api.delete(`${definitions}/${definition.metadata.name}`)).status, 200)
    for (const peer of [first, second]) {
      await eventually('the group is gone', async () => !(await peer.all()).has('peers.example.com/v1'))
      assert.equal((await peer.api.get('/apis/peers.example.com/v1/namespaces/default/widgets')).status, 404)
    }
  })

  test('metrics count what is sent on and asked', async () => {
    const before = await first.api.get('/apis', { accept: servedBy.alone })
    assert.equal(before.status, 200)
    const { body } = await first.api.get<string>('/metrics')
    for (const line of [
      /^apiserver_rerouted_request_total\{code="201",group="batch",resource="cronjobs",version="v1"\} 1$/m,
      /^apiserver_rerouted_request_total\{code="200",group="",resource="",version=""\} [1-9]/m,
      /^aggregator_discovery_nopeer_requests_total [1-9]/m,
      /^aggregator_discovery_peer_aggregated_cache_hits_total [1-9]/m,
      /^aggregator_discovery_peer_aggregated_cache_misses_total [1-9]/m,
    ])
      assert.match(body, line)
    assert.doesNotMatch(body, /^apiserver_request_total\{[^}]*resource="cronjobs"/m, 'the other server counts the request')
  })

  test('while a server is down its resources are unavailable, and unknown when its lease is gone', async () => {
    await secondDaemon.stop('SIGKILL')
    // The end of a kept connection may be noticed by the first request.
    const refused = await eventually('the connection is refused', async () => {
      const answer = await first.api.get<string>(cronJobs)
      assert.equal(answer.status, 503)
      return answer.body.includes('refused') && answer
    })
    assert.deepEqual(
      [refused.status, refused.headers.get('content-type'), refused.body],
      [
        503,
        'text/plain; charset=utf-8',
        `error trying to reach service: dial tcp 127.0.0.1:${secondDaemon.port}: connect: connection refused\n`,
      ],
    )
    const gone = await eventually('its address expires', async () => {
      const answer = await first.api.get<Status>(cronJobs)
      return answer.headers.get('content-type') === 'application/json' && answer
    })
    assertFailure(gone, 503, 'ServiceUnavailable', 'Error getting ip and port info of the remote server while proxying')
    assert.ok((await first.all()).has('batch/v1'))
    const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${identityOnHost('second')}`
    assert.equal((await first.api.delete(lease)).status, 200)
    await eventually('its resources are unknown', async () => (await first.api.get(cronJobs)).status === 404)
    assert.ok(!(await first.all()).has('batch/v1'))
  })

  test('a server that starts again is asked again, and forgotten when it stops', async () => {
    secondDaemon = await startSecond()
    await untilServed(first, cronJobs)
    await secondDaemon.stop()
    await eventually('its resources are unknown', async () => (await first.api.get(cronJobs)).status === 404)
  })

  test('files that can not be used end the start', async () => {
    const [none, empty] = [join(directory.path, 'none.crt'), made.file('empty.crt', 'none')]
    for (const [file, message] of [
      [none, /^error: --peer-ca-file: \S+none\.crt: no such file or directory$/m],
      [empty, /^error: --peer-ca-file: \S+empty\.crt: no PEM block CERTIFICATE$/m],
    ] as const) {
      const flags = flagsOf('third', [`--peer-ca-file=${file}`, `--data-dir=${directory.path}/third`, `--cert-dir=${directory.path}/third`])
      const { code, stderr } = await runProgram(flags, [process.execPath, bundle])
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
  })
})
