/** In the place of the reference server: started by its name, with the flags that others pass to it. */
import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { issue, issueAuthority, newKey } from '../../runtimes/node/issue.ts'
import { apiOf, configMap } from '../support/api.ts'
import { bundle, type Command, freePort, runProgram } from '../support/daemon.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { startAs } from '../support/named-program.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'

const collection = '/api/v1/namespaces/default/configmaps'

describe('as kube-apiserver', () => {
  const { path: directory, remove } = temporaryDirectory()
  const now = Date.now()
  const authority = issueAuthority('ca', newKey(), now)
  const admin = issue(authority, { commonName: 'admin', organizations: ['system:masters'] }, now)
  let etcd: Etcd
  let command: Command

  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  before(async () => {
    etcd = await startEtcd()
    const name = join(directory, 'kube-apiserver')
    symlinkSync(bundle, name)
    command = [process.execPath, name]
  })
  after(async () => {
    await etcd.stop()
    remove()
  })

  /** Starts, writes and reads an object as the administrator, asks for a token, and ends. */
  async function serves(flags: readonly string[], port: number, ca: string): Promise<void> {
    const program = await startAs(command, flags)
    const { fetch, close } = tlsFetch(`https://127.0.0.1:${port}`, { ca, cert: admin.certPem, key: admin.keyPem })
    try {
      await program.answers(async () => (await fetch('/readyz')).status === 200)
      const api = apiOf(fetch)
      await api.create(collection, configMap(`on-${port}`))
      const accounts = '/api/v1/namespaces/default/serviceaccounts'
      await api.create(accounts, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: `robot-${port}` } })
      assert.equal((await api.send('POST', `${accounts}/robot-${port}/token`, { spec: {} })).status, 201, 'a token')
      const { clusterIP } = (await api.get('/api/v1/namespaces/default/services/kubernetes')).body.spec as { clusterIP: string }
      assert.match(clusterIP, /^10\./, 'the address of the cluster service')
    } finally {
      close()
      await program.stop()
    }
  }

  test('serves with what controller-runtime’s envtest passes', { timeout: 60_000 }, async () => {
    const port = await freePort()
    const key = file('sa-signer.key', newKey())
    const serving = issue(authority, { commonName: 'apiserver', names: ['localhost', '127.0.0.1'] }, now)
    const certDir = join(directory, 'envtest')
    await serves(
      [
        '--advertise-address=127.0.0.1',
        `--etcd-servers=${etcd.servers.join(',')}`,
        `--cert-dir=${certDir}`,
        '--authorization-mode=RBAC',
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        `--client-ca-file=${file('client-ca.crt', authority.certPem)}`,
        `--tls-cert-file=${file('apiserver.crt', serving.certPem)}`,
        `--tls-private-key-file=${file('apiserver.key', serving.keyPem)}`,
        '--service-account-issuer=https://127.0.0.1:6443/',
        `--service-account-key-file=${key}`,
        `--service-account-signing-key-file=${key}`,
        '--disable-admission-plugins=ServiceAccount',
        '--service-cluster-ip-range=10.0.0.0/24',
        '--allow-privileged=true',
      ],
      port,
      authority.certPem,
    )
  })

  test('serves with what kubeadm writes into its manifest', { timeout: 60_000 }, async () => {
    const port = await freePort()
    const serving = issue(authority, { commonName: 'kube-apiserver', names: ['localhost', '127.0.0.1'] }, now)
    const client = issue(authority, { commonName: 'client' }, now)
    const [ca, certificate, key, clientCertificate, clientKey] = [
      file('ca.crt', authority.certPem),
      file('kubeadm.crt', serving.certPem),
      file('kubeadm.key', serving.keyPem),
      file('client.crt', client.certPem),
      file('client.key', client.keyPem),
    ]
    const signer = file('sa.key', newKey())
    await serves(
      [
        '--advertise-address=127.0.0.1',
        '--allow-privileged=true',
        '--authorization-mode=Node,RBAC',
        `--client-ca-file=${ca}`,
        '--enable-admission-plugins=NodeRestriction',
        '--enable-bootstrap-token-auth=true',
        `--etcd-servers=${etcd.servers.join(',')}`,
        `--kubelet-client-certificate=${clientCertificate}`,
        `--kubelet-client-key=${clientKey}`,
        '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
        `--proxy-client-cert-file=${clientCertificate}`,
        `--proxy-client-key-file=${clientKey}`,
        '--requestheader-allowed-names=front-proxy-client',
        `--requestheader-client-ca-file=${ca}`,
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-username-headers=X-Remote-User',
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
        `--service-account-key-file=${signer}`,
        `--service-account-signing-key-file=${signer}`,
        '--service-cluster-ip-range=10.96.0.0/12',
        `--tls-cert-file=${certificate}`,
        `--tls-private-key-file=${key}`,
        `--cert-dir=${join(directory, 'kubeadm')}`,
      ],
      port,
      authority.certPem,
    )
  })

  test('lists its flags by the names that are known', async () => {
    const { code, stdout } = await runProgram(['--help'], command)
    assert.equal(code, 0, 'exit status')
    for (const flag of ['--etcd-servers', '--kubelet-client-certificate']) assert(stdout.includes(flag), `${flag} in the help`)
  })
})
