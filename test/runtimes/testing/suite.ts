/** Tests of the harness as functions that throw, for every supported test runner. */
import assert from 'node:assert/strict'
import { listen } from '../../../runtimes/node/network/listener.ts'
import { issue, issueAuthority, newKey } from '../../../runtimes/node/pki/issue.ts'
import { readManifests, startTestServer, type TestObject, type TestServer } from '../../../runtimes/testing/index.ts'
import { eventually, within } from '../../support/wait.ts'
import { widgetsIn } from './widgets.ts'

const json = { 'content-type': 'application/json' }
const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => JSON.stringify({ metadata: { name } })
const post = (body: object | string) => ({ method: 'POST', headers: json, body: typeof body === 'string' ? body : JSON.stringify(body) })

async function names(server: TestServer, path = configMaps): Promise<string[]> {
  const { items } = (await (await server.fetch(path)).json()) as { items: TestObject[] }
  return items.map(({ metadata }) => metadata?.name ?? '').filter((name) => name !== 'kube-root-ca.crt')
}

async function create(server: TestServer, name: string): Promise<void> {
  const { status } = await server.fetch(configMaps, post(configMap(name)))
  assert.equal(status, 201, `create ${name}`)
}

const manifests = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: prices, namespace: shop}
data: {tea: "3"}
---
# nothing here
---
apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
- {apiVersion: v1, kind: Secret, metadata: {name: here}}
`

const sized = {
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'string', default: 'small' } } } } },
}

const widgetManifests = `${widgetsIn({ name: 'v1', schema: sized })}---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: first}, spec: {}}
`

const certificates = () => {
  const authority = issueAuthority('authority of the webhook', newKey(), Date.now())
  const { certPem: cert, keyPem: key } = issue(authority, { commonName: 'webhook', names: ['127.0.0.1'] }, Date.now())
  return { authority: authority.certPem, cert, key }
}

/** A webhook for all config maps. `caBundle` in PEM. */
const webhook = (url: string, caBundle: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hook' },
  webhooks: [
    {
      name: 'hook.example.com',
      clientConfig: { url, caBundle: btoa(caBundle) },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    },
  ],
})

/** Answer of a webhook that refuses. */
async function refuse(request: Request): Promise<Response> {
  const { request: asked, ...review } = (await request.json()) as { request: { uid: string; name: string } }
  const response = { uid: asked.uid, allowed: false, status: { message: `not ${asked.name}` } }
  return Response.json({ ...review, response })
}

export const harnessSuite: { readonly [title: string]: () => Promise<void> } = {
  async 'loads custom resource definitions, which snapshots and forks contain'() {
    const widgets = '/apis/example.com/v1/namespaces/default/widgets'
    const server = await startTestServer()
    const [definition, first] = await server.load(widgetManifests)
    const status = definition?.['status'] as { conditions: { type: string; status: string }[] } | undefined
    assert(status?.conditions.some(({ type, status }) => type === 'Established' && status === 'True'))
    assert.deepEqual(first?.['spec'], { size: 'small' })
    const snapshot = server.snapshot()
    const fork = await server.fork()
    await server.fetch(`${widgets}/first`, { method: 'DELETE' })
    assert.deepEqual(await names(server, widgets), [])
    assert.deepEqual(await names(fork, widgets), ['first'])
    await fork.fetch('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com', { method: 'DELETE' })
    await eventually('the fork has no more widgets', async () => (await fork.fetch(widgets)).status === 404)
    assert.deepEqual(await names(server, widgets), [])
    await server.restore(snapshot)
    assert.deepEqual(await names(server, widgets), ['first'])
    const other = await startTestServer({ from: snapshot })
    assert.deepEqual(await names(other, widgets), ['first'])
    const taken = widgetManifests.replaceAll('widgets', 'gadgets')
    await assert.rejects(other.load(taken), /gadgets.example.com: "Widget(List)?" is already in use/)
    await Promise.all([server, fork, other].map((each) => each.close()))
  },

  async 'calls webhooks, verifies them by their caBundle, and says why it can not'() {
    const own = certificates()
    const listener = await listen({ address: '127.0.0.1', cert: own.cert, key: own.key }, refuse)
    const server = await startTestServer()
    try {
      const attempt = async (url: string, caBundle: string) => {
        await server.load([webhook(url, caBundle)])
        const refusals = await eventually('the webhook is called', async () => {
          const answer = await server.fetch(`${configMaps}?dryRun=All`, post(configMap('a')))
          const { message = '' } = (await answer.json()) as { message?: string }
          return message.includes(url.split('/')[3] ?? '') && message
        })
        return refusals
      }
      const url = `https://127.0.0.1:${listener.port}`
      await server.load([webhook(`${url}/one`, own.authority)])
      await eventually('the webhook refuses', async () => {
        const answer = await server.fetch(configMaps, post(configMap('a')))
        const { message } = (await answer.json()) as { message?: string }
        return message === 'admission webhook "hook.example.com" denied the request: not a'
      })
      const foreign = await attempt(`${url}/two`, certificates().authority)
      assert.match(
        foreign,
        /failed calling webhook "hook.example.com": .*Post "https:.*two\?timeout=10s": .*(certificate|Certificate|UnknownIssuer)/,
      )
      const nobody = await attempt('https://127.0.0.1:1/three', own.authority)
      assert.match(nobody, /dial tcp 127\.0\.0\.1:1: connect: connection refused/)
    } finally {
      await Promise.all([server.close(), listener.close(0)])
    }
  },

  async 'answers requests'() {
    const server = await startTestServer()
    await create(server, 'a')
    assert.deepEqual(await names(server), ['a'])
    await server.close()
  },

  async 'accepts pods and claims right after their namespace, and deletes them'() {
    const server = await startTestServer()
    const own = 'metadata: {name: web, namespace: shop}'
    const pod = `apiVersion: v1\nkind: Pod\n${own}\nspec: {nodeName: node, containers: [{name: c, image: i}]}`
    const storage = 'accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}'
    const claim = `apiVersion: v1\nkind: PersistentVolumeClaim\n${own}\nspec: {${storage}}`
    const stored = await server.load(['apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}', pod, claim].join('\n---\n'))
    const [, first, second] = stored
    assert.equal((first?.['spec'] as { serviceAccountName?: string } | undefined)?.serviceAccountName, 'default')
    assert.deepEqual(second?.metadata?.['finalizers'], ['kubernetes.io/pvc-protection'])
    const claims = '/api/v1/namespaces/shop/persistentvolumeclaims'
    assert.equal((await server.fetch(`${claims}/web`, { method: 'DELETE' })).status, 200)
    await eventually('end of the claim', async () => (await names(server, claims)).length === 0)
    await server.close()
  },

  async 'loads manifests in order, and reports which one is refused'() {
    const server = await startTestServer()
    const stored = await server.load(manifests)
    assert.deepEqual(
      stored.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`),
      ['Namespace /shop', 'ConfigMap shop/prices', 'Deployment shop/web', 'Secret default/here'],
    )
    await assert.rejects(
      server.load('{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "A b"}}'),
      /^ApiFailure: Secret A b: .*Invalid value/,
    )
    await assert.rejects(server.load('kind: Secret'), /manifest 1: apiVersion and kind are required/)
    await assert.rejects(server.load(`${manifests}---\nkind: Secret\nkind: Pod\n`), /manifest 5: line 2: the key "kind" stands there twice/)
    await assert.rejects(server.load('---\n\n---\na: ['), /manifest 1: yaml: line 1: /)
    await server.close()
  },

  // YAML 1.1: a number that is written as octal, a truth that is no string, a key that takes over a map. What stands beside a separator is dropped.
  async 'reads manifests as kubectl does'() {
    const meta = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}`
    const [first, second] = readManifests(
      `--- {dropped: true}\n# comment\n---\n${meta('a')}\nfound: [yes, 0o17, 017, 2026-01-01]\n---   \nbase: &base {a: b}\n${meta('b')}\ndata: {<<: *base}\n`,
    )
    assert.deepEqual(first?.['found'], [true, 15, 15, '2026-01-01'])
    assert.deepEqual(second?.['data'], { a: 'b' })
    const server = await startTestServer()
    await assert.rejects(server.load(`${meta('c')}\ndata: {enabled: yes}`), /data.enabled: expected string, got .*true/)
    await server.close()
  },

  async 'returns to a snapshot any number of times'() {
    const server = await startTestServer()
    await create(server, 'before')
    const snapshot = server.snapshot()
    const whole = await (await server.fetch(`${configMaps}/before`)).text()
    for (const round of ['1', '2']) {
      await create(server, `after-${round}`)
      await server.fetch(`${configMaps}/before`, { method: 'DELETE' })
      await server.restore(snapshot)
      assert.deepEqual(await names(server), ['before'], `round ${round}`)
      assert.equal(await (await server.fetch(`${configMaps}/before`)).text(), whole, 'the same bytes')
    }
    await server.close()
  },

  async 'forks into independent servers'() {
    const server = await startTestServer({ authorizationModes: ['RBAC'] })
    await create(server, 'shared')
    const [left, right] = await Promise.all([server.fork(), server.fork()])
    await create(left, 'left')
    await create(right, 'right')
    await create(server, 'root')
    assert.deepEqual(await Promise.all([left, right, server].map((each) => names(each))), [
      ['left', 'shared'],
      ['right', 'shared'],
      ['root', 'shared'],
    ])
    await Promise.all([left, right, server].map((each) => each.close()))
  },

  async 'expires events when the clock is advanced'() {
    const server = await startTestServer()
    const event = { metadata: { name: 'e', namespace: 'default' }, involvedObject: { namespace: 'default' } }
    const path = '/api/v1/namespaces/default/events'
    assert.equal((await server.fetch(path, post(event))).status, 201, 'create the event')
    const snapshot = server.snapshot()
    await server.clock.advance(30 * 60_000)
    assert.deepEqual(await names(server, path), ['e'], 'half an hour')
    await server.clock.advance(40 * 60_000)
    assert.deepEqual(await names(server, path), [], 'an hour and ten minutes')
    await server.restore(snapshot)
    assert.deepEqual(await names(server, path), ['e'], 'the clock was restored too')
    await server.close()
  },

  async 'expires tokens when the clock is advanced, and keeps them in a fork'() {
    const server = await startTestServer({ authorizationModes: ['RBAC'] })
    await server.load('{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}}')
    const answer = await server.fetch('/api/v1/namespaces/default/serviceaccounts/robot/token', post({ spec: { expirationSeconds: 600 } }))
    const { status } = (await answer.json()) as { status: { token: string } }
    const review = post({})
    const as = { ...review, headers: { ...json, authorization: `Bearer ${status.token}` } }
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const fork = await server.fork()
    for (const each of [server, fork]) {
      const { status: seen } = (await (await each.fetch(path, as)).json()) as { status: { userInfo: { username: string } } }
      assert.equal(seen.userInfo.username, 'system:serviceaccount:default:robot')
    }
    await server.clock.advance(700_000)
    assert.equal((await server.fetch(path, as)).status, 401, 'expired')
    assert.equal((await fork.fetch(path, as)).status, 201, 'the fork has its own clock')
    await Promise.all([server.close(), fork.close()])
  },

  async 'knows users'() {
    const server = await startTestServer({ authorizationModes: ['RBAC'] })
    const alice = server.as({ name: 'alice', groups: ['devs'] })
    assert.equal((await alice(configMaps)).status, 403)
    await server.load(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: devs}
subjects: [{kind: Group, name: devs, apiGroup: rbac.authorization.k8s.io}]
roleRef: {kind: ClusterRole, name: view, apiGroup: rbac.authorization.k8s.io}
`)
    await eventually('the role is in effect', async () => (await alice(configMaps)).status === 200)
    await server.close()
  },

  async 'opens a port'() {
    const server = await startTestServer({ authorizationModes: ['RBAC'] })
    const port = await server.listen()
    assert.equal((await fetch(`${port.url}${configMaps}`)).status, 403, 'anonymous')
    assert.equal((await fetch(`${port.url}${configMaps}`, { headers: { authorization: `Bearer ${port.token}` } })).status, 200)
    await port.close()
    await assert.rejects(fetch(`${port.url}${configMaps}`), 'closed')
    await server.close()
  },

  async 'sends the head of a watch at once, over both kinds of port'() {
    const server = await startTestServer()
    const silent = `${configMaps}?watch=true&fieldSelector=metadata.name%3Dnobody`
    for (const tls of [false, true]) {
      const port = await server.listen({ tls })
      const { request } = tls ? await import('node:https') : await import('node:http')
      const outgoing = request(`${port.url}${silent}`, { headers: { authorization: `Bearer ${port.token}` }, rejectUnauthorized: false })
      outgoing.on('error', () => undefined)
      const status = new Promise((resolve) => {
        outgoing.once('response', (incoming) => {
          incoming.on('error', () => undefined)
          resolve(incoming.statusCode)
        })
      })
      outgoing.end()
      assert.equal(await within(`the head, TLS: ${tls}`, status, 3_000), 200)
      outgoing.destroy()
      await port.close()
    }
    await server.close()
  },

  async 'serves watches, and ends them when it returns to a snapshot'() {
    const server = await startTestServer()
    const snapshot = server.snapshot()
    const response = await server.fetch(`${configMaps}?watch=true&fieldSelector=metadata.name%3Dseen`)
    assert(response.body, 'a stream')
    await create(server, 'seen')
    const reader = response.body.getReader()
    const { value } = await reader.read()
    assert.equal((JSON.parse(new TextDecoder().decode(value)) as { type: string }).type, 'ADDED')
    await server.restore(snapshot)
    let done = false
    while (!done) ({ done } = await reader.read())
    await server.close()
  },
}
