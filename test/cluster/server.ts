/** An API server that Kubernetes' own components use: this one, or the reference with the same flags. */
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { writeKubeconfig } from '../../runtimes/node/pki/kubeconfig.ts'
import { type Api, apiOf } from '../support/api.ts'
import { bundle } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { type Program, type ProgramName, programPath, startProgram } from './programs.ts'

export type ServerName = 'this server' | 'the reference'

/** This server, and the reference where it is installed. */
export const serverNames: readonly ServerName[] =
  programPath('kube-apiserver') === undefined ? ['this server'] : ['this server', 'the reference']

export interface Server {
  readonly api: Api
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string
  /** Paths: the authority of all certificates with its key, and the key of service account tokens. */
  readonly ca: string
  readonly caKey: string
  readonly tokenKey: string
  /** Path of a file with this name in the directory of the server. */
  path(name: string): string
  /** Starts a program; its log is the file `NAME.log`. */
  start(program: ProgramName, name: string, flags: readonly string[]): Program
  /** Starts a component that serves on a free port, as administrator. */
  startComponent(program: ProgramName, name: string, flags: readonly string[]): Promise<Program>
  /** As another user, with a client certificate. */
  as(certificate: string, key: string): Api
  /** Ends the server and everything that it started. */
  close(): Promise<void>
}

function pathOf(name: ProgramName): string {
  const path = programPath(name)
  if (path === undefined) throw new Error(`${name} is not installed`)
  return path
}

/** Resolves when it is ready. `flags`: additional ones. The directory is copied to KEEP_LOGS at the end. */
export async function startServer(server: ServerName, flags: readonly string[] = []): Promise<Server> {
  const home = temporaryDirectory('cluster')
  const path = (name: string) => join(home.path, name)
  const file = (name: string, text: string) => {
    writeFileSync(path(name), text, { mode: 0o600 })
    return path(name)
  }
  const now = Date.now()
  const authority = issueAuthority('ca', newKey(), now)
  const serving = issue(authority, { commonName: 'apiserver', names: ['127.0.0.1', 'localhost'] }, now)
  const admin = issue(authority, { commonName: 'admin', organizations: ['system:masters'] }, now)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ca = file('ca.crt', authority.certPem)
  const tokenKey = file('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const all = [
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${file('serving.crt', serving.certPem)}`,
    `--tls-private-key-file=${file('serving.key', serving.keyPem)}`,
    `--client-ca-file=${ca}`,
    `--cert-dir=${path('certificates')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--kubelet-preferred-address-types=InternalIP',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://issuer.example',
    `--service-account-signing-key-file=${tokenKey}`,
    `--service-account-key-file=${file('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
    ...flags,
  ]
  const stops: (() => void | Promise<void>)[] = []
  const close = async () => {
    for (const stop of stops.reverse()) await stop()
    const logs = process.env['KEEP_LOGS']
    if (logs) {
      mkdirSync(logs, { recursive: true })
      cpSync(home.path, join(logs, server.replaceAll(' ', '-')), { recursive: true, filter: (name) => !name.endsWith('.key') })
    }
    home.remove()
  }
  const run = (program: string, name: string, given: readonly string[]): Program => {
    const started = startProgram(program, given, path(`${name}.log`))
    stops.push(() => started.stop())
    return started
  }
  const as = (cert: string, key: string): Api => {
    const client = tlsFetch(url, { ca: authority.certPem, cert, key })
    stops.push(() => client.close())
    return apiOf(client.fetch)
  }
  try {
    if (server === 'the reference') {
      const etcd = await startEtcd()
      stops.push(() => etcd.stop())
      run(pathOf('kube-apiserver'), 'apiserver', [...all, `--etcd-servers=${etcd.servers.join(',')}`])
    } else {
      // The controller manager does what the built-in controllers do.
      run(process.execPath, 'apiserver', [bundle, '--platform=kubernetes', ...all, '--data-dir=:memory:', '--controllers='])
    }
    const api = as(admin.certPem, admin.keyPem)
    await eventually(`${server} is ready`, async () => (await api.get('/readyz')).status === 200)
    const kubeconfig = path('kubeconfig')
    writeKubeconfig(kubeconfig, { server: url, caPem: authority.certPem, certPem: admin.certPem, keyPem: admin.keyPem })
    const start: Server['start'] = (program, name, given) => run(pathOf(program), name, given)
    return {
      ...{ api, kubeconfig, ca, caKey: file('ca.key', authority.keyPem), tokenKey, path, start, as, close },
      async startComponent(program, name, given) {
        const serves = ['--bind-address=127.0.0.1', `--secure-port=${await freePort()}`, `--cert-dir=${path(`${name}-certificates`)}`]
        return start(program, name, [`--kubeconfig=${kubeconfig}`, ...serves, ...given])
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
