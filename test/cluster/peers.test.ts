/** This server and the original API server as peers of one cluster: each serves a group that the other one does not. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Status } from '../../core/answers/status.ts'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { material } from '../support/aggregation.ts'
import { assertFailure } from '../support/api.ts'
import { startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { identityOnHost, onHost, type Peer, peersOf, servedBy } from '../support/peers.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'
import { type Program, programPath, startProgram } from './programs.ts'

interface Started extends Peer {
  readonly program: Program
  readonly port: number
  /** As a user without rights. */
  readonly bob: Peer
}

const original = programPath('kube-apiserver')
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'

/** A resource of each group, which only one of the servers has. */
const resources = {
  batch: {
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    qualified: 'cronjobs.batch',
    object: {
      kind: 'CronJob',
      apiVersion: 'batch/v1',
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'none' }] } } } },
      },
    },
  },
  autoscaling: {
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    qualified: 'horizontalpodautoscalers.autoscaling',
    object: {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v2',
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    },
  },
} as const

describe('peers with the original', { timeout: 600_000, skip: original === undefined && 'kube-apiserver is not installed' }, () => {
  const home = temporaryDirectory('cluster-peers')
  const { file, serving, authority, frontFlags } = material(home.path)
  const clients = issueAuthority('clients', newKey(), Date.now())
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const stops: (() => void | Promise<void>)[] = [() => home.remove()]
  const common = [
    ...frontFlags,
    `--peer-ca-file=${file('peers.crt', authority)}`,
    // The original one publishes no other address: it accepts --peer-advertise-ip and --peer-advertise-port, and ignores them (1.36.2).
    ...['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', '--endpoint-reconciler-type=none'],
    ...[`--tls-cert-file=${file('own.crt', serving.certPem)}`, `--tls-private-key-file=${file('own.key', serving.keyPem)}`],
    ...[`--client-ca-file=${file('clients.crt', clients.certPem)}`, '--authorization-mode=RBAC'],
    '--service-account-issuer=https://issuer.example',
    `--service-account-signing-key-file=${file('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
    `--service-account-key-file=${file('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
  ]
  let ours: Started
  let theirs: Started
  let servers = ''

  async function start(name: string, command: readonly string[], more: readonly string[]): Promise<Started> {
    const port = await freePort()
    const flags = [...common, `--secure-port=${port}`, `--cert-dir=${home.path}/${name}`, ...more]
    const [path = '', ...args] = command
    const program = startProgram(path, [...args, ...flags, `--etcd-servers=${servers}`], file(`${name}.log`, ''))
    stops.push(() => program.stop())
    const as = (commonName: string, organizations: readonly string[]): Peer => {
      const { certPem, keyPem } = issue(clients, { commonName, organizations }, Date.now())
      const client = tlsFetch(`https://127.0.0.1:${port}`, { ca: authority, cert: certPem, key: keyPem })
      stops.push(() => client.close())
      return peersOf(client.fetch)
    }
    const admin = as('admin', ['system:masters'])
    await eventually(`${name} is ready`, async () => (await admin.api.get('/readyz')).status === 200)
    return { ...admin, program, port, bob: as('bob', []) }
  }
  // A server that starts removes the registrations of what it does not serve, by which the original one lists its groups.
  const startOurs = () => start('ours', onHost('ours'), ['--platform=kubernetes', '--runtime-config=batch/v1=false', `--data-dir=:memory:`])
  const startTheirs = () => start('theirs', [original ?? ''], ['--runtime-config=autoscaling/v1=false,autoscaling/v2=false'])

  before(async () => {
    const etcd = await startEtcd()
    stops.push(() => etcd.stop())
    servers = etcd.servers.join(',')
    ours = await startOurs()
    theirs = await startTheirs()
  })
  after(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  const untilServed = ({ api }: Peer, { path }: { readonly path: string }) =>
    eventually(`${path} is served`, async () => (await api.get(path)).status === 200)

  /** What a client sees of a resource that only the other server has. */
  async function exercise(
    front: Peer & { readonly bob: Peer },
    behind: Peer,
    { path, qualified, object }: (typeof resources)[keyof typeof resources],
  ) {
    await untilServed(front, { path })
    const { api } = front
    // From any state: with old releases of etcd, the original's cache does not learn of what others write elsewhere.
    const watch = await watchAt(api.fetch, path, { resourceVersion: '0' })
    const created = await api.create(path, { ...object, metadata: { name: 'one' } })
    assert.equal((await watch.object()).object.metadata.uid, created.metadata.uid)
    const patched = await api.patch(`${path}/one`, { metadata: { labels: { a: 'b' } } })
    assert.deepEqual([patched.status, patched.body.metadata.labels], [200, { a: 'b' }])
    assert.equal((await watch.object()).type, 'MODIFIED')
    assert.deepEqual((await api.get(`${path}/one`)).body, (await behind.api.get(`${path}/one`)).body)
    assertFailure(await api.get(`${path}/none`), 404, 'NotFound', `${qualified} "none" not found`)
    assertFailure(await front.bob.api.get(path), 403, 'Forbidden')
    assert.equal((await api.get(path, { 'x-kubernetes-peer-proxied': 'true' })).status, 404)
    assert.equal((await api.delete(`${path}/one`)).status, 200)
    assert.equal((await watch.object()).type, 'DELETED')
    await watch.close()
  }

  test('this server sends requests on to the original one', () => exercise(ours, theirs, resources.batch))

  test('the original one sends requests on to this server', () => exercise(theirs, ours, resources.autoscaling))

  test('both give the same list of all groups, byte for byte', async () => {
    const seen = async ({ api }: Peer) => (await api.fetch('/apis', { headers: { accept: servedBy.all } })).text()
    assert.equal(await seen(ours), await seen(theirs))
    const all = await ours.all()
    assert.ok(all.has('batch/v1') && all.has('autoscaling/v2'))
    assert.deepEqual([(await ours.alone()).has('batch/v1'), (await theirs.alone()).has('autoscaling/v2')], [false, false])
  })

  test('what a client sees when the other one dies is the same on both', async () => {
    const dies = async ({ api }: Peer, port: number, { path }: { readonly path: string }, lease: string) => {
      const refused = await eventually('the connection is refused', async () => {
        const answer = await api.get<string>(path)
        return answer.body.includes('refused') && answer
      })
      const down = [refused.status, refused.headers.get('content-type'), refused.body.replace(`:${port}`, ':PORT')]
      const gone = await eventually('its address expires', async () => {
        const answer = await api.get<Status>(path)
        return answer.headers.get('content-type') === 'application/json' && answer
      })
      await api.delete(`${leases}/${lease}`)
      const end = await eventually('it is forgotten', async () => {
        const answer = await api.get(path)
        return answer.status === 404 && answer
      })
      return { down, gone: gone.body, end: end.body }
    }
    await theirs.program.kill()
    const hosts = (await ours.api.list(leases)).items.map(({ metadata }) => metadata.name)
    const other = hosts.find((name) => name !== identityOnHost('ours')) ?? ''
    const seenByOurs = await dies(ours, theirs.port, resources.batch, other)
    theirs = await startTheirs()
    await untilServed(theirs, resources.autoscaling)
    await ours.program.kill()
    const seenByTheirs = await dies(theirs, ours.port, resources.autoscaling, identityOnHost('ours'))
    assert.deepEqual(seenByOurs, seenByTheirs)
  })
})
