/** A cluster of Kubernetes' own components around an API server: this one, or the reference with the same flags. */
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { issue, issueAuthority, newKey } from '../../runtimes/node/issue.ts'
import { writeKubeconfig } from '../../runtimes/node/kubeconfig.ts'
import { type Api, apiOf } from '../support/api.ts'
import { bundle } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { type Program, type ProgramName, programPath, startProgram } from './programs.ts'

export type ServerName = 'this server' | 'the reference'

export interface Cluster {
  readonly api: Api
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string
  /** Starts a hollow node: a kubelet without containers. */
  startNode(name: string): Promise<Program>
  /** The ports of the nodes at which anyone may read. */
  readonly readOnlyPorts: ReadonlyMap<string, number>
  /** As another user, with a client certificate. */
  as(certificate: string, key: string): Api
  close(): Promise<void>
}

const pathOf = (name: ProgramName): string => {
  const path = programPath(name)
  if (path === undefined) throw new Error(`${name} is not installed`)
  return path
}

/** Shorter than the defaults, so that a lost node is noticed within seconds. */
const monitoring = ['--node-monitor-period=1s', '--node-monitor-grace-period=10s']

export async function startCluster(server: ServerName): Promise<Cluster> {
  const home = temporaryDirectory('cluster')
  const file = (name: string, text = '') => {
    const path = join(home.path, name)
    if (text !== '') writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const now = Date.now()
  const authority = issueAuthority('ca', newKey(), now)
  const serving = issue(authority, { commonName: 'apiserver', names: ['127.0.0.1', 'localhost'] }, now)
  const admin = issue(authority, { commonName: 'admin', organizations: ['system:masters'] }, now)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ca = file('ca.crt', authority.certPem)
  const caKey = file('ca.key', authority.keyPem)
  const tokenKey = file('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const flags = [
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${file('serving.crt', serving.certPem)}`,
    `--tls-private-key-file=${file('serving.key', serving.keyPem)}`,
    `--client-ca-file=${ca}`,
    `--cert-dir=${file('certificates')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--kubelet-preferred-address-types=InternalIP',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://issuer.example',
    `--service-account-signing-key-file=${tokenKey}`,
    `--service-account-key-file=${file('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
  ]
  const programs: (() => Promise<void>)[] = []
  const close = async () => {
    for (const stop of programs.reverse()) await stop()
    const logs = process.env['KEEP_LOGS']
    if (logs) {
      mkdirSync(logs, { recursive: true })
      cpSync(home.path, join(logs, server.replaceAll(' ', '-')), { recursive: true, filter: (path) => !path.endsWith('.key') })
    }
    home.remove()
  }
  const start = (path: string, name: string, given: readonly string[]): Program => {
    const program = startProgram(path, given, file(`${name}.log`))
    programs.push(() => program.stop())
    return program
  }
  try {
    if (server === 'the reference') {
      const etcd = await startEtcd()
      programs.push(() => etcd.stop())
      start(pathOf('kube-apiserver'), 'apiserver', [...flags, `--etcd-servers=${etcd.servers.join(',')}`])
    } else {
      // The controller manager does what the built-in controllers do.
      start(process.execPath, 'apiserver', [bundle, '--platform=kubernetes', ...flags, '--data-dir=:memory:', '--controllers='])
    }
    const clients: { close(): void }[] = []
    programs.push(async () => {
      for (const client of clients) client.close()
    })
    const as = (cert: string, key: string): Api => {
      const client = tlsFetch(url, { ca: authority.certPem, cert, key })
      clients.push(client)
      return apiOf(client.fetch)
    }
    const api = as(admin.certPem, admin.keyPem)
    await eventually(`${server} is ready`, async () => (await api.get('/readyz')).status === 200)

    const kubeconfig = file('kubeconfig')
    writeKubeconfig(kubeconfig, { server: url, caPem: authority.certPem, certPem: admin.certPem, keyPem: admin.keyPem })
    const common = async () => [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${await freePort()}`,
    ]
    start(pathOf('kube-controller-manager'), 'controller-manager', [
      ...(await common()),
      '--use-service-account-credentials',
      `--root-ca-file=${ca}`,
      `--service-account-private-key-file=${tokenKey}`,
      `--cluster-signing-cert-file=${ca}`,
      `--cluster-signing-key-file=${caKey}`,
      `--cert-dir=${file('controller-manager')}`,
      '--horizontal-pod-autoscaler-sync-period=2s',
      ...monitoring,
    ])
    start(pathOf('kube-scheduler'), 'scheduler', [...(await common()), `--cert-dir=${file('scheduler')}`])

    const readOnlyPorts = new Map<string, number>()
    return {
      api,
      kubeconfig,
      as,
      readOnlyPorts,
      async startNode(name) {
        const nodePort = await freePort()
        const readOnlyPort = await freePort()
        readOnlyPorts.set(name, readOnlyPort)
        return start(pathOf('kubemark'), name, [
          '--morph=kubelet',
          `--name=${name}`,
          `--kubeconfig=${kubeconfig}`,
          '--use-host-image-service=false',
          `--kubelet-port=${nodePort}`,
          `--kubelet-read-only-port=${readOnlyPort}`,
          `--cert-dir=${file(`${name}-certificates`)}`,
        ])
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
