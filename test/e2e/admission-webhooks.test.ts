/** Admission webhooks in separate processes, tested with kubectl and @kubernetes/client-node. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  AdmissionregistrationV1Api,
  ApiException,
  CoreV1Api,
  KubeConfig,
  type V1MutatingWebhook,
  type V1Status,
} from '@kubernetes/client-node'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { type Kubectl, kubectls, kubectlWith } from '../support/kubectl.ts'
import { crowd, eventually, within } from '../support/wait.ts'
import { startWebhookProcess, type WebhookProcess } from '../support/webhook-process.ts'

let daemon: Daemon
let kubectl: Kubectl
let core: CoreV1Api
let registration: AdmissionregistrationV1Api
let hooks: WebhookProcess
const home = mkdtempSync(join(tmpdir(), 'webhooks-'))

before(async () => {
  hooks = await startWebhookProcess()
  daemon = await startDaemon()
  const binary = kubectls().at(-1)
  assert.ok(binary, 'a kubectl on the PATH')
  kubectl = kubectlWith(binary, daemon.kubeconfig, home)
  const config = new KubeConfig()
  config.loadFromFile(daemon.kubeconfig)
  core = config.makeApiClient(CoreV1Api)
  registration = config.makeApiClient(AdmissionregistrationV1Api)
  await eventually('service account of pods', () => kubectl.run('get', 'serviceaccount', 'default'))
})
after(async () => {
  hooks.stop()
  await daemon.stop()
  rmSync(home, { recursive: true, force: true })
})

const pod = (name: string, image: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image }] },
})

const hook = (path: string, resource: string, more: Partial<V1MutatingWebhook> = {}): V1MutatingWebhook => ({
  name: `${path}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${hooks.port}/${path}`, caBundle: hooks.caBundle },
  rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...more,
})

const message = (error: unknown) => (error instanceof ApiException ? (JSON.parse(error.body) as V1Status).message : String(error))

test('a mutating webhook behind a service is in force within a second', async () => {
  await kubectl.run('create', 'service', 'externalname', 'hooks', '--external-name=localhost')
  const service = { namespace: 'default', name: 'hooks', path: '/label', port: hooks.port }
  await registration.createMutatingWebhookConfiguration({
    body: { metadata: { name: 'label' }, webhooks: [hook('label', 'configmaps', { clientConfig: { service, caBundle: hooks.caBundle } })] },
  })
  let count = 0
  const labelled = async () => {
    const { metadata } = await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: `c${count++}` } } })
    return metadata?.labels?.['checked'] === 'yes'
  }
  await eventually('the webhook', labelled, 1_000)
  const applied = await kubectl.pipe(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', labels: { a: 'b' } } },
    'apply',
    '-o',
    'json',
  )
  assert.deepEqual((JSON.parse(applied) as { metadata: { labels: object } }).metadata.labels, { a: 'b', checked: 'yes' })
  await registration.deleteMutatingWebhookConfiguration({ name: 'label' })
})

test('a validating webhook refuses with its message, and warns', async () => {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'images' },
  }
  await kubectl.pipe({ ...configuration, webhooks: [hook('no-latest', 'pods')] }, 'apply')
  const refusal = 'admission webhook "no-latest.example.com" denied the request: images need a fixed tag'
  const refused = await eventually('the refusal', async () => {
    const ran = await kubectl.try(['create', '--dry-run=server', '-f', '-'], { stdin: JSON.stringify(pod('latest', 'x:latest')) })
    return ran.code !== 0 && ran
  })
  assert.equal(refused.stderr.trim(), `Error from server (Forbidden): error when creating "STDIN": ${refusal}`)
  await assert.rejects(core.createNamespacedPod({ namespace: 'default', body: pod('latest', 'x:latest') }), (error: unknown) => {
    assert.ok(error instanceof ApiException)
    assert.deepEqual([error.code, message(error)], [403, refusal])
    return true
  })
  const { code, stderr } = await kubectl.try(['create', '-f', '-'], { stdin: JSON.stringify(pod('fixed', 'x:1.0')) })
  assert.deepEqual([code, stderr.trim()], [0, 'Warning: images were looked at'])
  await kubectl.run('delete', 'validatingwebhookconfiguration', 'images')
})

test('calls share a connection', async () => {
  await registration.createValidatingWebhookConfiguration({
    body: { metadata: { name: 'connection' }, webhooks: [hook('connection', 'secrets')] },
  })
  let count = 0
  const portOfCaller = async () => {
    const secret = { metadata: { name: `connection-${count++}` } }
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(secret) }
    const response = await daemon.fetch('/api/v1/namespaces/default/secrets', init)
    assert.equal(response.status, 201, await response.text())
    return /^299 - "(\d+)"$/.exec(response.headers.get('warning') ?? '')?.[1]
  }
  const first = await eventually('the webhook', portOfCaller)
  for (let turn = 0; turn < 5; turn++) assert.equal(await portOfCaller(), first)
  await registration.deleteValidatingWebhookConfiguration({ name: 'connection' })
})

test('calls to webhooks that hang, disconnect or never end time out, and other requests do not wait', async () => {
  const rows = [
    [
      'hang',
      1,
      20,
      /failed calling webhook "hang\.example\.com": failed to call webhook: Post ".*\/hang\?timeout=1s": context deadline exceeded$/,
    ],
    ['close', 20, 20, /failed calling webhook "close\.example\.com": failed to call webhook: Post ".*": EOF$/],
    [
      'huge',
      20,
      4,
      /failed calling webhook "huge\.example\.com": failed to call webhook: Post ".*": the response has more than \d+ bytes$/,
    ],
  ] as const
  for (const [path, timeoutSeconds, writers, expected] of rows) {
    await registration.createValidatingWebhookConfiguration({
      body: { metadata: { name: path }, webhooks: [hook(path, 'secrets', { timeoutSeconds })] },
    })
    const create = (name: string) => core.createNamespacedSecret({ namespace: 'default', body: { metadata: { name } } })
    await eventually(path, async () => {
      await core.deleteNamespacedSecret({ name: 'probe', namespace: 'default' }).catch(() => undefined)
      return create('probe').then(
        () => false,
        () => true,
      )
    })
    const waiting = Promise.all(Array.from({ length: writers }, (_, index) => create(`s${index}`).then(() => '', message)))
    const reads: number[] = []
    for (let read = 0; read < 20; read++) {
      const start = performance.now()
      await core.readNamespace({ name: 'default' })
      reads.push(performance.now() - start)
    }
    for (const text of await within(path, waiting, 20_000)) assert.match(text ?? '', expected)
    const median = reads.toSorted((a, b) => a - b)[10] ?? 0
    assert.ok(median < 1_000 * crowd(), `${path}: other requests waited ${median} ms`)
    await registration.deleteValidatingWebhookConfiguration({ name: path })
  }
  assert.equal(
    (await core.listNamespacedSecret({ namespace: 'default' })).items.filter(({ metadata }) => metadata?.name?.startsWith('s')).length,
    0,
  )
})
