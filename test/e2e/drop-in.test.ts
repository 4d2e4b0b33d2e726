/** In place of kube-apiserver: started by its name and with its usual flags. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { type Api, apiOf, assertFailure, configMap } from '../support/api.ts'
import { bundle, type Command, runProgram } from '../support/daemon.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { startAs } from '../support/named-program.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'

const collection = '/api/v1/namespaces/default/configmaps'

describe('as kube-apiserver', () => {
  const { path: directory, remove } = temporaryDirectory()
  const now = Date.now()
  const authority = issueAuthority('ca', newKey(), now)
  const admin = issue(authority, { commonName: 'admin', organizations: ['system:masters'] }, now)
  let served = 0
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

  /** Starts, writes and reads an object as administrator, requests a token, runs `more` and stops. */
  async function serves(flags: readonly string[], port: number, ca: string, more: (api: Api) => Promise<void> = async () => {}) {
    const program = await startAs(command, flags)
    const anybody = tlsFetch(`https://127.0.0.1:${port}`, { ca })
    const { fetch, close } = tlsFetch(`https://127.0.0.1:${port}`, { ca, cert: admin.certPem, key: admin.keyPem })
    try {
      await program.answers(async () => (await anybody.fetch('/healthz')).status === 200)
      const api = apiOf(fetch)
      const suffix = `${port}-${served++}`
      await api.create(collection, configMap(`on-${suffix}`))
      const accounts = '/api/v1/namespaces/default/serviceaccounts'
      await api.create(accounts, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: `robot-${suffix}` } })
      const issued = await api.send('POST', `${accounts}/robot-${suffix}/token`, { spec: {} })
      assert.equal(issued.status, 201, 'a token')
      const { token } = issued.body.status as { token: string }
      assert.equal((await anybody.fetch('/api', { headers: { authorization: `Bearer ${token}` } })).status, 200, 'its token is accepted')
      const { clusterIP } = (await api.get('/api/v1/namespaces/default/services/kubernetes')).body.spec as { clusterIP: string }
      assert.match(clusterIP, /^10\./, 'the address of the cluster service')
      await more(api)
    } finally {
      close()
      anybody.close()
      await program.stop()
    }
  }

  /**
   * Starts as envtest of controller-runtime does (pkg/internal/testing: controlplane/apiserver.go, certs/tinyca.go,
   * process/process.go): a folder with the serving pair, keys and CA under its own names, the flags in its order, then
   * anonymous polls of /healthz.
   */
  test('starts as controller-runtime’s envtest starts it', { timeout: 3_600_000 }, async () => {
    const port = await freePort()
    const certDir = join(directory, 'k8s_test_framework')
    mkdirSync(certDir)
    const write = (name: string, text: string) => writeFileSync(join(certDir, name), text, { mode: 0o640 })
    const servingAuthority = issueAuthority('envtest-environment', newKey(), now)
    const serving = issue(servingAuthority, { commonName: 'localhost', names: ['localhost', '127.0.0.1'] }, now)
    const signer = issueAuthority('envtest-environment', newKey(), now)
    write('apiserver.crt', serving.certPem)
    write('apiserver.key', serving.keyPem)
    write('sa-signer.crt', signer.certPem)
    write('sa-signer.key', signer.keyPem)
    write('client-cert-auth-ca.crt', authority.certPem)
    const { stdout: help } = await runProgram(['--help'], command)
    assert.doesNotMatch(help, /^\s*--insecure-port\b/m, 'a flag that envtest would set')
    const flags = [
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${certDir}`,
      `--client-ca-file=${join(certDir, 'client-cert-auth-ca.crt')}`,
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=${etcd.servers.join(',')}`,
      `--secure-port=${port}`,
      `--service-account-issuer=https://127.0.0.1:${port}/`,
      `--service-account-key-file=${join(certDir, 'sa-signer.crt')}`,
      `--service-account-signing-key-file=${join(certDir, 'sa-signer.key')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
    ]
    await serves(flags, port, servingAuthority.certPem, asksWebhook)
    assert.equal(readFileSync(join(certDir, 'apiserver.crt'), 'utf8'), serving.certPem, 'the pair of the caller')
    await serves(flags, port, servingAuthority.certPem)
  })

  /**
   * Installs a webhook as envtest does (pkg/envtest/webhook.go): the serving certificate is the caBundle, and the path
   * begins with two slashes.
   */
  async function asksWebhook(api: Api): Promise<void> {
    const own = issue(issueAuthority('hook', newKey(), now), { commonName: 'localhost', names: ['localhost', '127.0.0.1'] }, now)
    const asked: unknown[] = []
    const hook = createServer({ cert: own.certPem, key: own.keyPem }, async (request, response) => {
      const review = JSON.parse(await text(request))
      asked.push(request.url)
      const answer = { uid: review.request.uid, allowed: false, status: { message: 'Always denied', code: 403, reason: 'Forbidden' } }
      response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: answer }))
    })
    hook.listen(0, '127.0.0.1')
    await once(hook, 'listening')
    try {
      const { port } = hook.address() as AddressInfo
      await api.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        kind: 'ValidatingWebhookConfiguration',
        apiVersion: 'admissionregistration.k8s.io/v1',
        metadata: { name: 'denying' },
        webhooks: [
          {
            name: 'denying.example.com',
            clientConfig: { url: `https://127.0.0.1:${port}//failing`, caBundle: Buffer.from(own.certPem).toString('base64') },
            rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
            failurePolicy: 'Fail',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      })
      const labels = { app: 'web' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx' }] } }
      const deployment = {
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        metadata: { name: 'web' },
        spec: { selector: { matchLabels: labels }, template },
      }
      const create = () => api.send('POST', '/apis/apps/v1/namespaces/default/deployments?dryRun=All', deployment)
      await eventually('the webhook is asked', async () => (await create()).status !== 201)
      assertFailure(await create(), 403, 'Forbidden', 'admission webhook "denying.example.com" denied the request: Always denied')
      assert.deepEqual([...new Set(asked)], ['/failing?timeout=10s'])
    } finally {
      hook.close()
      hook.closeAllConnections()
      await api.delete('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/denying')
    }
  }

  test('starts with the flags of a kubeadm manifest', { timeout: 3_600_000 }, async () => {
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

  test('lists its flags by their kube-apiserver names', async () => {
    const { code, stdout } = await runProgram(['--help'], command)
    assert.equal(code, 0, 'exit status')
    for (const flag of ['--etcd-servers', '--kubelet-client-certificate']) assert(stdout.includes(flag), `${flag} in the help`)
  })
})
