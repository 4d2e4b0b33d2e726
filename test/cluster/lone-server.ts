/** An API server without a cluster: this one, or the reference with the same flags. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { type Api, apiOf } from '../support/api.ts'
import { bundle, type Command } from '../support/daemon.ts'
import { startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import { programPath, startProgram } from './programs.ts'
import type { ServerName } from './server.ts'

export interface LoneServer {
  readonly name: ServerName
  readonly url: string
  /** As administrator. */
  readonly api: Api
  /** Path of the administrator's. */
  readonly kubeconfig: string
  /** Path of a new file with this text, or of a file that is not there yet. */
  file(name: string, text?: string): string
  close(): Promise<void>
}

export const loneAdminToken = 'token-of-admin'

/**
 * `flags`: further flags, or others in place of its own, which may name files of the server's directory. Without built-in controllers, which the reference does not have. `etcd`:
 * the reference's etcd and its first arguments.
 */
export async function startLoneServer(
  name: ServerName,
  flags: (file: LoneServer['file']) => readonly string[],
  etcd?: Command,
): Promise<LoneServer> {
  const home = temporaryDirectory('lone-server')
  const file = (path: string, text?: string) => {
    const full = join(home.path, path)
    if (text !== undefined) writeFileSync(full, text, { mode: 0o600 })
    return full
  }
  const authority = issueAuthority('ca', newKey(), Date.now())
  const serving = issue(authority, { commonName: 'apiserver', names: ['127.0.0.1'] }, Date.now())
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const own = [
    ...[`--secure-port=${port}`, '--bind-address=127.0.0.1', '--advertise-address=192.0.2.10', `--cert-dir=${file('certificates')}`],
    ...[`--tls-cert-file=${file('own.crt', serving.certPem)}`, `--tls-private-key-file=${file('own.key', serving.keyPem)}`],
    ...['--authorization-mode=RBAC', '--service-cluster-ip-range=10.0.0.0/24', '--allow-privileged=true'],
    `--token-auth-file=${file('tokens.csv', `${loneAdminToken},admin,admin-uid,system:masters\n`)}`,
    '--service-account-issuer=https://issuer.example',
    `--service-account-signing-key-file=${file('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
    `--service-account-key-file=${file('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
  ]
  const given = flags(file)
  const nameOf = (flag: string) => flag.split('=', 1)[0]
  const all = [...own.filter((flag) => !given.some((each) => nameOf(each) === nameOf(flag))), ...given]
  const stops: (() => void | Promise<void>)[] = [() => home.remove()]
  const close = async () => {
    for (const stop of stops.reverse()) await stop()
  }
  try {
    const start = (path: string, argv: readonly string[]) => {
      const program = startProgram(path, argv, file('server.log', ''))
      stops.push(() => program.stop())
    }
    if (name === 'the reference') {
      const store = await startEtcd({ ...(etcd && { command: etcd }) })
      stops.push(() => store.stop())
      start(programPath('kube-apiserver') ?? '', [...all, `--etcd-servers=${store.servers.join(',')}`])
    } else start(process.execPath, [bundle, '--platform=kubernetes', ...all, '--data-dir=:memory:', '--controllers='])
    const client = tlsFetch(url, { ca: authority.certPem })
    stops.push(() => client.close())
    const api = apiOf((path, init = {}) => {
      const headers = new Headers(init.headers)
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${loneAdminToken}`)
      return client.fetch(path, { ...init, headers })
    })
    await eventually(`${name} is ready`, async () => (await api.get('/readyz')).status === 200)
    const kubeconfig = file(
      'kubeconfig',
      JSON.stringify({
        kind: 'Config',
        apiVersion: 'v1',
        clusters: [
          { name: 'c', cluster: { server: url, 'certificate-authority-data': Buffer.from(authority.certPem).toString('base64') } },
        ],
        users: [{ name: 'admin', user: { token: loneAdminToken } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'admin' } }],
        'current-context': 'c',
      }),
    )
    return { name, url, api, kubeconfig, file, close }
  } catch (error) {
    await close()
    throw error
  }
}
