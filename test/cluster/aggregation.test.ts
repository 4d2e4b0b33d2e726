/**
 * The reference's sample API server (wardle.example.com) behind this server: its storage, its admission, its delegated authentication and
 * authorization. Where the original API server is installed too, everything also runs on it, and must have the same outcome.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { writeKubeconfig } from '../../runtimes/node/pki/kubeconfig.ts'
import { conditionOf, createService, material, registration, registrations } from '../support/aggregation.ts'
import { type Api, apiOf } from '../support/api.ts'
import { bundle } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'
import { type Program, programPath, startProgram } from './programs.ts'

type ServerName = 'this server' | 'the reference'

interface Front {
  readonly api: Api
  /** A user without rights. */
  readonly bob: Api
  readonly sample: Program
  readonly port: number
  close(): Promise<void>
}

const group = 'wardle.example.com'
const flunders = `/apis/${group}/v1alpha1/namespaces/default/flunders`
const fischers = `/apis/${group}/v1alpha1/fischers`

async function startFront(server: ServerName): Promise<Front> {
  const home = temporaryDirectory('aggregation')
  const { file, serving, authority, frontFlags } = material(home.path)
  const clients = issueAuthority('clients', newKey(), Date.now())
  const own = issue(clients, { commonName: 'apiserver', names: ['127.0.0.1'] }, Date.now())
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const flags = [
    ...frontFlags,
    ...[`--secure-port=${port}`, '--bind-address=127.0.0.1', '--advertise-address=192.0.2.10', `--cert-dir=${home.path}`],
    ...[`--tls-cert-file=${file('own.crt', own.certPem)}`, `--tls-private-key-file=${file('own.key', own.keyPem)}`],
    ...[`--client-ca-file=${file('clients.crt', clients.certPem)}`, '--authorization-mode=RBAC'],
    '--service-account-issuer=https://issuer.example',
    `--service-account-signing-key-file=${file('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
    `--service-account-key-file=${file('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
  ]
  // One for each server: with a store that others write to, watch caches of old releases of etcd lag behind.
  const [etcd, sampleEtcd] = [await startEtcd(), await startEtcd()]
  const stops: (() => void | Promise<void>)[] = [() => home.remove(), () => etcd.stop(), () => sampleEtcd.stop()]
  const start = (path: string, name: string, given: readonly string[]): Program => {
    const program = startProgram(path, given, file(`${name}.log`, ''))
    stops.push(() => program.stop())
    return program
  }
  const close = async () => {
    for (const stop of stops.reverse()) await stop()
  }
  try {
    const servers = etcd.servers.join(',')
    if (server === 'the reference') start(programPath('kube-apiserver') ?? '', 'front', [...flags, `--etcd-servers=${servers}`])
    else start(process.execPath, 'front', [bundle, '--platform=kubernetes', ...flags, '--data-dir=:memory:'])
    const as = (commonName: string, organizations: readonly string[]) => {
      const { certPem, keyPem } = issue(clients, { commonName, organizations }, Date.now())
      const client = tlsFetch(url, { ca: clients.certPem, cert: certPem, key: keyPem })
      stops.push(() => client.close())
      return { api: apiOf(client.fetch), certPem, keyPem }
    }
    const { api, certPem, keyPem } = as('admin', ['system:masters'])
    await eventually(`${server} is ready`, async () => (await api.get('/readyz')).status === 200)
    const kubeconfig = `${home.path}/kubeconfig`
    writeKubeconfig(kubeconfig, { server: url, caPem: clients.certPem, certPem, keyPem })
    const samplePort = await freePort()
    const sample = start(programPath('sample-apiserver') ?? '', 'sample', [
      ...[`--secure-port=${samplePort}`, '--bind-address=0.0.0.0', `--etcd-servers=${sampleEtcd.servers.join(',')}`],
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
      ...[`--tls-cert-file=${file('sample.crt', serving.certPem)}`, `--tls-private-key-file=${file('sample.key', serving.keyPem)}`],
    ])
    await createService(api, 'wardle', samplePort)
    const caBundle = Buffer.from(authority).toString('base64')
    for (const [version, versionPriority] of [
      ['v1alpha1', 200],
      ['v1beta1', 100],
    ] as const) {
      await api.create(registrations, registration('wardle', samplePort, `${group}/${version}`, { caBundle, versionPriority }))
    }
    return { api, bob: as('bob', []).api, sample, port: samplePort, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface ObjectLike {
  readonly metadata?: { readonly name?: string; readonly labels?: object; readonly managedFields?: readonly { manager: string }[] }
  readonly [field: string]: unknown
}

/** Without what differs between two servers. */
const essence = ({ metadata, details, ...rest }: ObjectLike) => ({
  ...rest,
  details: { ...(details as object | undefined), uid: undefined },
  name: metadata?.name,
  labels: metadata?.labels,
  managers: metadata?.managedFields?.map(({ manager }) => manager),
})

const flunder = (name: string, spec: object) => ({ kind: 'Flunder', apiVersion: `${group}/v1alpha1`, metadata: { name }, spec })

type Step = (front: Front) => Promise<unknown>

const answer = async (asked: Promise<{ status: number; headers: Headers; body: unknown }>) => {
  const { status, headers, body } = await asked
  return [status, headers.get('content-type'), typeof body === 'object' ? essence(body as ObjectLike) : body]
}

const agent = { 'user-agent': 'tester' }

const steps: { readonly [title: string]: Step } = {
  'it becomes available': async ({ api }) => {
    const found = []
    for (const version of ['v1alpha1', 'v1beta1']) {
      const name = `${version}.${group}`
      await eventually(name, async () => (await conditionOf(api, name))?.[0] === 'True')
      found.push(await conditionOf(api, name))
      // A server passes requests on once its own watch has seen the condition, which is later on a busy machine.
      await eventually(`${name} is passed on`, async () => (await api.get(`/apis/${group}/${version}`)).status === 200)
    }
    return found
  },
  'objects are created, read, changed and deleted': async ({ api }) => {
    const watch = await watchAt(api.fetch, flunders)
    const created = await answer(api.send('POST', flunders, flunder('one', { reference: 'two' }), agent))
    const path = `${flunders}/one`
    const patched = await answer(api.patch(path, { metadata: { labels: { a: 'b' } } }))
    const applied = await answer(
      api.send('PATCH', `${path}?fieldManager=me&force=true`, flunder('one', { reference: 'three' }), {
        'content-type': 'application/apply-patch+yaml',
      }),
    )
    const listed = (await api.list(flunders)).items.map((item) => essence(item as unknown as ObjectLike))
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const { body: shown } = await api.get<{ columnDefinitions: { name: string }[]; rows: { cells: string[] }[] }>(flunders, {
      accept: table,
    })
    const beta = await answer(api.get(path.replace('v1alpha1', 'v1beta1')))
    const deleted = await answer(api.delete(path))
    const events = []
    for (const _event of ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']) events.push((await watch.object()).type)
    await watch.close()
    const columns = shown.columnDefinitions.map(({ name }) => name)
    return { created, patched, applied, listed, columns, cells: shown.rows.map(({ cells }) => cells[0]), beta, deleted, events }
  },
  'its admission refuses what another object bans': async ({ api }) => {
    const fischer = { kind: 'Fischer', apiVersion: `${group}/v1alpha1`, metadata: { name: 'ban' }, disallowedFlunders: ['banned'] }
    await api.create(fischers, fischer)
    const refused = await eventually('the ban', async () => {
      const found = await answer(api.send('POST', `${flunders}?dryRun=All`, flunder('banned', {})))
      return found[0] === 201 ? undefined : found
    })
    return [refused, await answer(api.delete(`${fischers}/ban`))]
  },
  'errors are its own': async ({ api }) => [
    await answer(api.get(`${flunders}/missing`)),
    await answer(api.send('POST', flunders, '{', { 'content-type': 'application/json' })),
    await answer(api.send('POST', flunders, flunder('A', {}))),
    await answer(api.get(`/apis/${group}/v1alpha1/nothing`)),
    await answer(api.get(`/apis/${group}/v9/nothing`)),
    await answer(api.send('PUT', flunders, flunder('a', {}))),
  ],
  'rights are asked for at both servers': async ({ api, bob }) => {
    const before = await answer(bob.get(flunders))
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'wardle' } }
    const rules = [{ apiGroups: [group], resources: ['flunders'], verbs: ['get', 'list', 'create', 'delete'] }]
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', { kind: 'ClusterRole', ...rbac, rules })
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      ...{ kind: 'ClusterRoleBinding', ...rbac, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'wardle' } },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
    })
    await eventually('the right', async () => (await bob.get(flunders)).status === 200)
    const created = await answer(bob.send('POST', flunders, flunder('of-bob', {}), agent))
    return [before, created, await answer(bob.delete(`${flunders}/of-bob`)), await answer(bob.patch(`${flunders}/of-bob`, {}))]
  },
  'discovery and OpenAPI have it': async ({ api }) => {
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const { body } = await api.get<{ items: { metadata: { name: string } }[] }>('/apis', { accept: aggregated })
    const legacy = (await api.get<{ groups: { name: string }[] }>('/apis')).body.groups
    const swagger = await eventually('OpenAPI v2', async () => {
      const { paths } = (await api.get<{ paths: { [path: string]: unknown } }>('/openapi/v2')).body
      const own = Object.keys(paths).filter((path) => path.includes(group))
      return own.some((path) => path.includes('v1beta1')) && own.some((path) => path.includes('v1alpha1/f')) ? own.sort() : undefined
    })
    const index = await eventually('OpenAPI v3', async () => {
      const { paths } = (await api.get<{ paths: { [name: string]: { serverRelativeURL: string } } }>('/openapi/v3')).body
      return paths[`apis/${group}/v1beta1`] && paths[`apis/${group}/v1alpha1`] ? paths : undefined
    })
    const document = await api.get<{ components: { schemas: object } }>(index[`apis/${group}/v1alpha1`]?.serverRelativeURL ?? '')
    return {
      aggregated: body.items.filter(({ metadata }) => metadata.name === group),
      place: body.items.findIndex(({ metadata }) => metadata.name === group) - body.items.length,
      legacy: legacy.filter(({ name }) => name === group),
      group: (await api.get(`/apis/${group}`)).body,
      resources: (await api.get(`/apis/${group}/v1alpha1`)).body,
      swagger: swagger.filter((path) => path !== `/apis/${group}/`),
      schemas: Object.keys(document.body.components.schemas).sort(),
    }
  },
  'it goes away': async ({ api, sample, port }) => {
    await sample.stop()
    const name = `v1alpha1.${group}`
    const condition = await eventually(
      'its end',
      async () => {
        const found = await conditionOf(api, name)
        return found?.[0] === 'False' ? found : undefined
      },
      120_000,
    )
    const listed = (await api.get<{ groups: { name: string }[] }>('/apis')).body.groups.some((each) => each.name === group)
    const asked = await answer(api.get(flunders))
    for (const version of ['v1alpha1', 'v1beta1']) await api.delete(`${registrations}/${version}.${group}`)
    await eventually('nothing is left', async () => (await api.get(`/apis/${group}`)).status === 404)
    const text = condition
      .join(' ')
      .replaceAll(`:${port}`, ':PORT')
      .replaceAll(/127\.0\.0\.\d+/g, 'IP')
    return [text, listed, asked, (await api.get(flunders)).status]
  },
}

const missing = programPath('sample-apiserver') === undefined
const servers: readonly ServerName[] = programPath('kube-apiserver') === undefined ? ['this server'] : ['this server', 'the reference']

describe('the sample API server', {
  skip: missing && 'not installed (on PATH or in KUBERNETES_BIN): sample-apiserver',
  timeout: 900_000,
}, () => {
  const fronts: Front[] = []
  before(async () => {
    for (const server of servers) fronts.push(await startFront(server))
  })
  after(async () => {
    for (const front of fronts) await front.close()
  })
  for (const [title, run] of Object.entries(steps)) {
    test(title, async () => {
      const outcomes = await Promise.all(fronts.map(run))
      assert.ok(outcomes.length > 0)
      for (const outcome of outcomes.slice(1)) assert.deepEqual(outcomes[0], outcome)
    })
  }
})
