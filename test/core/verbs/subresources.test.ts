import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import '../access/authn/reflect.ts'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { assertFailure, type TestObject } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'

const strategic = 'application/strategic-merge-patch+json'
const merge = 'application/merge-patch+json'
const pods = '/api/v1/namespaces/default/pods'
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

const api = serverForTests({})

interface Container {
  readonly name: string
  readonly image: string
  readonly resources?: { readonly requests?: { readonly cpu?: string }; readonly limits?: { readonly cpu?: string } }
}

const containersOf = ({ spec }: TestObject, list = 'containers') => (spec?.[list] ?? []) as Container[]
const resources = (requested: string, limit = '1') => ({ requests: { cpu: requested }, limits: { cpu: limit } })
const pod = (name: string, more: object = {}) => ({
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'example/main', resources: resources('100m') }], ...more },
})

describe('pods/ephemeralcontainers', () => {
  const add = (name: string, container: object) =>
    api.patch(`${pods}/${name}/ephemeralcontainers`, { spec: { ephemeralContainers: [container] } }, strategic)

  test('adds a container and changes nothing else', async () => {
    const created = await api.create(pods, pod('debugged'))
    const { status, body } = await api.patch(
      `${pods}/debugged/ephemeralcontainers`,
      {
        metadata: { labels: { app: 'other' } },
        spec: { activeDeadlineSeconds: 5, ephemeralContainers: [{ name: 'shell', image: 'busybox', targetContainerName: 'main' }] },
      },
      strategic,
    )
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.metadata.labels, { app: 'debugged' })
    assert.equal(body.spec?.['activeDeadlineSeconds'], undefined)
    assert.equal(body.metadata.generation, (created.metadata.generation ?? 0) + 1)
    const [shell] = containersOf(body, 'ephemeralContainers')
    assert.deepEqual([shell?.name, shell?.image], ['shell', 'busybox'])
    const { body: read } = await api.get(`${pods}/debugged/ephemeralcontainers`)
    assert.equal(containersOf(read, 'ephemeralContainers').length, 1)
  })

  test('keeps existing ephemeral containers', async () => {
    await api.create(pods, pod('kept'))
    await add('kept', { name: 'shell', image: 'busybox' })
    const changed = await add('kept', { name: 'shell', image: 'other' })
    assertFailure(changed, 422, 'Invalid', /existing ephemeral containers "shell" may not be changed/)
    const removed = await api.patch(`${pods}/kept/ephemeralcontainers`, { spec: { ephemeralContainers: null } }, merge)
    assertFailure(removed, 422, 'Invalid', /existing ephemeral containers "shell" may not be removed/)
    assert.equal((await add('kept', { name: 'second', image: 'busybox' })).status, 200)
  })

  test('is refused for mirror pods', async () => {
    await api.create(pods, {
      ...pod('static', { nodeName: 'node-1' }),
      metadata: { name: 'static', annotations: { 'kubernetes.io/config.mirror': 'x' } },
    })
    assertFailure(
      await add('static', { name: 'shell', image: 'busybox' }),
      422,
      'Invalid',
      /static pods do not support ephemeral containers/,
    )
  })

  test('can not be created or deleted', async () => {
    assertFailure(await api.send('POST', `${pods}/kept/ephemeralcontainers`, {}), 405, 'MethodNotAllowed')
    assertFailure(await api.delete(`${pods}/kept/ephemeralcontainers`), 405, 'MethodNotAllowed')
  })
})

describe('pods/resize', () => {
  const resize = (name: string, spec: object) => api.patch(`${pods}/${name}/resize`, { spec }, strategic)
  const main = (more: object) => ({ containers: [{ name: 'main', ...more }] })

  test('changes resources and nothing else', async () => {
    const created = await api.create(pods, pod('resized'))
    const { status, body } = await resize('resized', main({ image: 'example/other', resources: resources('200m') }))
    assert.equal(status, 200, JSON.stringify(body))
    const [container] = containersOf(body)
    assert.deepEqual(container?.resources, resources('200m'))
    assert.equal(container?.image, 'example/main')
    assert.equal(body.metadata.generation, (created.metadata.generation ?? 0) + 1)
  })

  test('keeps the QoS class and other resources', async () => {
    await api.create(pods, pod('steady'))
    const guaranteed = { cpu: '1', memory: '1Gi' }
    const better = await resize('steady', main({ resources: { requests: guaranteed, limits: guaranteed } }))
    assertFailure(better, 422, 'Invalid', /spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing/)
    const disk = await resize('steady', main({ resources: { limits: { 'ephemeral-storage': '1Gi' } } }))
    assertFailure(disk, 422, 'Invalid', /only cpu and memory resources are mutable/)
    const less = await api.patch(
      `${pods}/steady/resize`,
      { spec: { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '100m' } } }] } },
      merge,
    )
    assertFailure(less, 422, 'Invalid', /spec.containers\[0\].resources.limits: Forbidden: resource limits cannot be removed/)
  })

  test('keeps the list of containers', async () => {
    await api.create(pods, pod('same'))
    for (const spec of [undefined, {}, { containers: null }]) {
      const none = await api.send('PUT', `${pods}/same/resize`, { ...pod('same'), spec })
      assertFailure(none, 422, 'Invalid', /\[spec\.containers: Required value, .*spec\.containers: Forbidden: containers may not be added/)
    }
    const empty = await api.send('PUT', `${pods}/same/resize`, { ...pod('same'), spec: { ...pod('same').spec, resources: {} } })
    assertFailure(empty, 422, 'Invalid', /is invalid: spec: Forbidden: only cpu and memory resources are mutable$/)
    const two = await resize('same', { containers: [{ name: 'second', image: 'x' }] })
    assertFailure(two, 422, 'Invalid', /spec.containers: Forbidden: containers may not be added or removed on resize/)
    const renamed = await api.patch(
      `${pods}/same/resize`,
      { spec: { containers: [{ name: 'other', image: 'x', resources: resources('100m') }] } },
      merge,
    )
    assertFailure(renamed, 422, 'Invalid', /spec.containers\[0\].name: Forbidden: containers may not be renamed or reordered on resize/)
  })

  test('requires a node that supports resizing', async () => {
    await api.create(pods, pod('old-node'))
    const running = { name: 'main', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } }
    await api.patch(`${pods}/old-node/status`, { status: { containerStatuses: [running] } })
    const answer = await resize('old-node', main({ resources: resources('200m') }))
    assertFailure(answer, 422, 'Invalid', /Pod running on node without support for resize/)
  })
})

describe('namespaces/finalize', () => {
  test('changes and validates spec.finalizers', async () => {
    const namespace = await api.create('/api/v1/namespaces', { metadata: { name: 'held' } })
    const path = '/api/v1/namespaces/held/finalize'
    const { status, body } = await api.send('PUT', path, {
      ...namespace,
      spec: { finalizers: ['example.com/held'] },
      status: { phase: 'Gone' },
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.spec, body.status], [{ finalizers: ['example.com/held'] }, { phase: 'Active' }])
    const wrong = await api.send('PUT', path, { ...body, spec: { finalizers: ['nobody'] } })
    assertFailure(wrong, 422, 'Invalid', /spec.finalizers\[0\]: Invalid value: "nobody": name is neither a standard finalizer name/)
    assertFailure(await api.get(path), 405, 'MethodNotAllowed')
  })
})

describe('scale', () => {
  const scaled: readonly (readonly [path: string, object: { metadata: { name: string }; spec: object }])[] = (
    [
      ['/api/v1/namespaces/default/replicationcontrollers', { app: 'scaled' }],
      ['/apis/apps/v1/namespaces/default/replicasets', { matchLabels: { app: 'scaled' } }],
      ['/apis/apps/v1/namespaces/default/deployments', { matchLabels: { app: 'scaled' } }],
      ['/apis/apps/v1/namespaces/default/statefulsets', { matchLabels: { app: 'scaled' } }],
    ] as const
  ).map(([path, selector]) => {
    const template = { metadata: { labels: { app: 'scaled' } }, spec: { containers: [{ name: 'main', image: 'i' }] } }
    return [path, { metadata: { name: 'scaled' }, spec: { replicas: 2, selector, template, serviceName: undefined } }]
  })

  for (const [path, object] of scaled)
    test(`of ${path.split('/').at(-1)}`, async () => {
      const created = await api.create(path, object)
      const { body } = await api.get(`${path}/scaled/scale`)
      const { kind, apiVersion, spec, status, metadata } = body
      assert.deepEqual(
        { kind, apiVersion, spec, status },
        {
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          spec: { replicas: 2 },
          status: { replicas: 0, selector: 'app=scaled' },
        },
      )
      assert.equal(metadata.uid, created.metadata.uid)
      const put = await api.send('PUT', `${path}/scaled/scale`, { ...body, spec: { replicas: 5 } })
      assert.deepEqual(put.body.spec, { replicas: 5 })
      const patched = await api.patch(`${path}/scaled/scale`, { spec: { replicas: 7 } })
      assert.deepEqual([patched.body.kind, patched.body.spec], ['Scale', { replicas: 7 }])
      const parent = await api.get(`${path}/scaled`)
      assert.equal(parent.body.spec?.['replicas'], 7)
      assert.equal(parent.body.metadata.generation, (created.metadata.generation ?? 0) + 2)
      assertFailure(await api.send('PUT', `${path}/scaled/scale`, body), 409, 'Conflict')
      assertFailure(
        await api.patch(`${path}/scaled/scale`, { spec: { replicas: -1 } }),
        422,
        'Invalid',
        'Scale.autoscaling "scaled" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      )
    })
})

describe('certificatesigningrequests', () => {
  const condition = (type: string, more: object = {}) => ({ type, status: 'True', ...more })
  const decide = (name: string, ...conditions: object[]) => api.patch(`${requests}/${name}/approval`, { status: { conditions } })
  const issue = (name: string, status: object) => api.patch(`${requests}/${name}/status`, { status })
  const certificate = btoa(`-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n`)

  let signed = ''

  before(async () => {
    const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
    const made = await Pkcs10CertificateRequestGenerator.create({
      name: 'CN=someone',
      keys,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    })
    signed = btoa(`${made.toString('pem')}\n`)
  })

  const request = (name: string) =>
    api.create(requests, { metadata: { name }, spec: { request: signed, signerName: 'example.com/signer', usages: ['client auth'] } })

  test('approval sets the times and is final', async () => {
    await request('approved')
    const { body } = await decide('approved', condition('Approved', { reason: 'Checked' }))
    const [decision] = (body.status?.['conditions'] ?? []) as { type: string; lastUpdateTime: string; lastTransitionTime: string }[]
    assert.equal(decision?.type, 'Approved')
    assert.match(decision?.lastUpdateTime ?? '', /Z$/)
    assert.equal(decision?.lastTransitionTime, decision?.lastUpdateTime)
    const both = await decide('approved', condition('Approved'), condition('Denied'))
    assertFailure(both, 422, 'Invalid', /Approved and Denied conditions are mutually exclusive/)
    assertFailure(await decide('approved'), 422, 'Invalid', /updates may not remove a condition of type "Approved"/)
  })

  test('conditions Approved and Denied must have status True', async () => {
    await request('undecided')
    const answer = await decide('undecided', { type: 'Approved', status: 'False' })
    assertFailure(answer, 422, 'Invalid', /status.conditions\[0\].status: Unsupported value: "False": supported values: "True"/)
  })

  test('the certificate is set once, through status, which can not approve', async () => {
    await request('issued')
    assertFailure(
      await issue('issued', { conditions: [condition('Approved')] }),
      422,
      'Invalid',
      /updates may not add a condition of type "Approved"/,
    )
    assertFailure(await issue('issued', { certificate: btoa('none') }), 422, 'Invalid', /must contain at least one CERTIFICATE PEM block/)
    assert.equal((await issue('issued', { certificate })).status, 200)
    const other = btoa(`-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n`)
    assertFailure(await issue('issued', { certificate: other }), 422, 'Invalid', /updates may not modify existing certificate content/)
  })
})
