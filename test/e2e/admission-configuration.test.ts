/** `--admission-control-config-file` of the daemon. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { authority, client } from '../runtimes/node/support.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'
import { startWebhookProcess, type WebhookProcess } from '../support/webhook-process.ts'

const pair = client('the-api-server')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const { path: directory, remove } = temporaryDirectory()

/** A kubeconfig with the server's credentials for webhooks. */
const kubeconfig = (user: object) => ({
  apiVersion: 'v1',
  kind: 'Config',
  users: [{ name: '*', user }],
})
const mutual = { 'client-certificate-data': base64(pair.cert), 'client-key-data': base64(pair.key) }

const configuration = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
  - name: ValidatingAdmissionWebhook
    configuration:
      apiVersion: apiserver.config.k8s.io/v1
      kind: WebhookAdmissionConfiguration
      kubeConfigFile: ${directory}/validating.json
  - name: MutatingAdmissionWebhook
    path: mutating.yaml
  - name: PodSecurity
    path: pod-security.yaml
  - name: ResourceQuota
    configuration:
      apiVersion: apiserver.config.k8s.io/v1
      kind: ResourceQuotaConfiguration
      limitedResources: [{ resource: configmaps, matchContains: [count/configmaps] }]
`
const files = {
  'admission.yaml': configuration,
  'validating.json': JSON.stringify(kubeconfig(mutual)),
  'mutating.json': JSON.stringify(kubeconfig({ ...mutual, token: 'a-token' })),
  'mutating.yaml': `{ apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: ${directory}/mutating.json }`,
  'pod-security.yaml': `
apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults: { enforce: baseline }
exemptions: { namespaces: [exempt] }
`,
}

let hooks: WebhookProcess
let daemon: Daemon
before(async () => {
  mkdirSync(directory, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  hooks = await startWebhookProcess(authority.certPem)
  daemon = await startDaemon({ flags: [`--admission-control-config-file=${join(directory, 'admission.yaml')}`] })
})
after(async () => {
  hooks.stop()
  await daemon.stop()
  remove()
})

async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const response = await daemon.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text(), warnings: response.headers.get('warning') ?? '' }
}

const secrets = '/api/v1/namespaces/default/secrets'
const registration = '/apis/admissionregistration.k8s.io/v1'

test('webhooks get the client certificate and the token of the kubeconfig', async () => {
  for (const kind of ['validating', 'mutating']) {
    const webhook = {
      name: `${kind}.example.com`,
      clientConfig: { url: `https://127.0.0.1:${hooks.port}/who`, caBundle: hooks.caBundle },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    }
    const { status, text } = await post(`${registration}/${kind}webhookconfigurations`, { metadata: { name: kind }, webhooks: [webhook] })
    assert.equal(status, 201, text)
  }
  const warned = await eventually('both webhooks', async () => {
    const { status, text, warnings } = await post(`${secrets}?dryRun=All`, { metadata: { name: 's' } })
    assert.equal(status, 201, text)
    return warnings.split(', ').length === 2 && warnings
  })
  assert.deepEqual(warned.split(', '), ['299 - "the-api-server Bearer a-token"', '299 - "the-api-server undefined"'])
})

test('defaults and exemptions of PodSecurity', async () => {
  const pod = { metadata: { name: 'p' }, spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i' }] } }
  const pods = (namespace: string) => `/api/v1/namespaces/${namespace}/pods?dryRun=All`
  await eventually('service accounts', async () => !(await post(pods('default'), pod)).text.includes('serviceaccount'))
  const { status, text } = await post(pods('default'), pod)
  assert.equal(status, 403)
  assert.match(text, /violates PodSecurity \\"baseline:latest\\": host namespaces \(hostNetwork=true\)/)
  await post('/api/v1/namespaces', { metadata: { name: 'exempt' } })
  await eventually('a pod in an exempt namespace', async () => (await post(pods('exempt'), pod)).status === 201)
})

test('limited resources require a quota', async () => {
  const create = () => post('/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'c' } })
  const { status, text } = await create()
  assert.equal(status, 403)
  assert.match(text, /insufficient quota to consume: count\/configmaps/)
  await post('/api/v1/namespaces/default/resourcequotas', { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '5' } } })
  await eventually('the quota', async () => (await create()).status === 201)
})

test('an invalid file is refused, with the place of the error', async () => {
  writeFileSync(join(directory, 'wrong.yaml'), configuration.replace('limitedResources: [{ resource', 'limitedResources: [{ resources'))
  const started = startDaemon({ flags: [`--admission-control-config-file=${join(directory, 'wrong.yaml')}`] })
  await assert.rejects(started, /wrong\.yaml: plugins\[3\]\.configuration: unknown field "limitedResources\[0\]\.resources"/)
})
