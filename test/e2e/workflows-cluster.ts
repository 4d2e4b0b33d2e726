import 'reflect-metadata'
import assert from 'node:assert/strict'
import { webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { eventually } from '../support/wait.ts'
import { type Desk, type Desks, rows } from './kubectl-desk.ts'

/** A certificate signing request as base64 of its PEM. */
async function newRequest(commonName: string): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: `CN=${commonName}`, keys, signingAlgorithm: algorithm },
    webcrypto as unknown as Crypto,
  )
  return Buffer.from(request.toString('pem')).toString('base64')
}

async function requestCertificate({ kubectl, namespace }: Desk, suffix: string): Promise<string> {
  const name = `${namespace}-${suffix}`
  const spec = { request: await newRequest(name), signerName: 'example.com/signer', usages: ['client auth'], expirationSeconds: 3600 }
  await kubectl.pipe({ kind: 'CertificateSigningRequest', apiVersion: 'certificates.k8s.io/v1', metadata: { name }, spec }, 'create')
  return name
}

/** Certificates, tokens, events, and other commands of administrators. */
export function clusterWork(on: Desks): void {
  on('certificate approve and deny', async (desk) => {
    const { kubectl } = desk
    const condition = async (name: string) => rows(await kubectl.run('get', 'csr', name))[1]?.at(-1)
    const good = await requestCertificate(desk, 'good')
    const said = (what: string, name: string) => `certificatesigningrequest.certificates.k8s.io/${name} ${what}\n`
    assert.equal(await condition(good), 'Pending')
    assert.deepEqual(rows(await kubectl.run('get', 'csr', good))[0], [
      'NAME',
      'AGE',
      'SIGNERNAME',
      'REQUESTOR',
      'REQUESTEDDURATION',
      'CONDITION',
    ])
    assert.equal(await kubectl.run('certificate', 'approve', good), said('approved', good))
    assert.equal(await condition(good), 'Approved')
    assert.equal(await kubectl.run('certificate', 'approve', good), said('approved', good))
    const [approval] = JSON.parse(await kubectl.run('get', 'csr', good, '-o', 'jsonpath={.status.conditions}'))
    assert.deepEqual([approval.type, approval.status, approval.reason], ['Approved', 'True', 'KubectlApprove'])
    assert.match(approval.lastUpdateTime, /Z$/)
    const denied = await requestCertificate(desk, 'bad')
    assert.equal(await kubectl.run('certificate', 'deny', denied), said('denied', denied))
    assert.equal(await condition(denied), 'Denied')
    const both = await kubectl.try(['certificate', 'approve', denied])
    assert.equal(both.code, 1)
    assert.match(both.stderr, /Approved and Denied conditions are mutually exclusive|already Denied/)
    assert.match(await kubectl.run('describe', 'csr', good), /^Status: +Approved$/m)
    const spec = await kubectl.try(['patch', 'csr', good, '--type=merge', '-p', '{"spec":{"usages":["server auth"]}}'])
    const usages = await kubectl.run('get', 'csr', good, '-o', 'jsonpath={.spec.usages[0]}')
    assert.equal(usages, 'client auth', spec.stderr)
  })

  on(
    'create token, and the rights of the token',
    async ({ k, kubectl, namespace, file, minor }) => {
      await k('create serviceaccount robot')
      await k('create secret generic bound')
      const token = (await k('create token robot --duration=1h --audience=https://other.example.com')).trim()
      const claims = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
      assert.deepEqual(claims(token).aud, ['https://other.example.com'])
      const usual = (await k('create token robot --bound-object-kind=Secret --bound-object-name=bound')).trim()
      const { sub, iat, exp, 'kubernetes.io': own } = claims(usual)
      assert.equal(sub, `system:serviceaccount:${namespace}:robot`)
      assert.equal(exp - iat, 3600)
      assert.deepEqual([own.namespace, own.serviceaccount.name, own.secret.name], [namespace, 'robot', 'bound'])
      const view = JSON.parse(await kubectl.run('config', 'view', '--minify', '--raw', '-o', 'json'))
      const { server, 'certificate-authority-data': ca } = view.clusters[0].cluster
      const authority = file('ca.pem', Buffer.from(ca, 'base64').toString())
      const as = (jwt: string, ...args: string[]) =>
        kubectl.try([`--server=${server}`, `--certificate-authority=${authority}`, `--token=${jwt}`, ...args], {
          env: { KUBECONFIG: '/dev/null' },
        })
      // `auth whoami` uses an API version that 1.36 serves from kubectl 1.28 on; older ones show the name in a refusal.
      if (minor >= 28) assert.match((await as(usual, 'auth', 'whoami')).stdout, new RegExp(`^Username +${sub}$`, 'm'))
      assert.match((await as(usual, 'get', 'secrets', '-n', namespace)).stderr, new RegExp(`User "${sub}" cannot list`))
      assert.match((await as(token, 'get', 'secrets', '-n', namespace)).stderr, /You must be logged in to the server/)
      await k('create rolebinding robots --clusterrole=edit', `--serviceaccount=${namespace}:robot`)
      await eventually('the binding is in effect', async () => (await as(usual, 'get', 'secrets', '-n', namespace)).code === 0)
      await k('delete secret bound')
      await eventually(
        'the token is invalid without its secret',
        async () => (await as(usual, 'get', 'secrets', '-n', namespace)).code === 1,
      )
    },
    24,
  )

  on('events of both groups, and of one object', async ({ k, api, namespace, minor, stored }) => {
    await k('run p --image=i')
    const uid = await stored('pod p', '.metadata.uid')
    const object = { kind: 'Pod', apiVersion: 'v1', name: 'p', namespace, uid }
    const now = new Date().toISOString()
    await api.create(`/api/v1/namespaces/${namespace}/events`, {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: 'old' },
      involvedObject: object,
      type: 'Normal',
      reason: 'Pulled',
      message: 'image is there',
      source: { component: 'agent' },
      firstTimestamp: now.replace(/\.\d+/, ''),
      lastTimestamp: now.replace(/\.\d+/, ''),
      count: 3,
    })
    await api.create(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`, {
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: 'new' },
      regarding: object,
      type: 'Warning',
      reason: 'Slow',
      action: 'Waiting',
      note: 'this takes long',
      reportingController: 'example.com/agent',
      reportingInstance: 'one',
      eventTime: now.replace(/(\.\d+)Z/, '$1000Z'),
    })
    const [header, ...lines] = rows(await k('get events --sort-by=.metadata.name'))
    assert.deepEqual(header, ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'])
    assert.deepEqual(
      lines.map((line) => line.slice(1)),
      [
        ['Warning', 'Slow', 'pod/p', 'this takes long'],
        ['Normal', 'Pulled', 'pod/p', 'image is there'],
      ],
    )
    assert.equal(await k('get events --field-selector=type=Warning,involvedObject.name=p -o name'), 'event/new\n')
    assert.equal((await k('get events.v1.events.k8s.io -o jsonpath={.items[*].note}')).split('long').length, 2)
    assert.match(await k('get events -o wide'), /SUBOBJECT/)
    const described = await k('describe pod p')
    assert.match(described, /Warning +Slow .* this takes long/)
    assert.match(described, /Normal +Pulled .* image is there/)
    if (minor >= 23) {
      const command = minor >= 26 ? 'events' : 'alpha events'
      assert.match(await k(`${command} --for=pod/p --types=Warning`), /Warning +Slow +Pod\/p +this takes long/)
    }
  })

  on(
    'debug adds an ephemeral container, copies a pod, and starts a pod on a node',
    async ({ k, kubectl, api, namespace }) => {
      await k('run p --image=nginx')
      await k('debug p --image=busybox --container=look --target=p -- sleep 9')
      const { spec } = JSON.parse(await k('get pod p -o json'))
      const [look] = spec.ephemeralContainers
      assert.deepEqual([look.name, look.image, look.targetContainerName, look.command], ['look', 'busybox', 'p', ['sleep', '9']])
      await k('debug p --image=other --container=second -- date')
      assert.equal(await k('get pod p -o jsonpath={.spec.ephemeralContainers[*].name}'), 'look second')
      const path = `/api/v1/namespaces/${namespace}/pods/p/ephemeralcontainers`
      const changed = await api.patch(
        path,
        { spec: { ephemeralContainers: [{ name: 'look', image: 'other' }] } },
        'application/strategic-merge-patch+json',
      )
      assert.equal(changed.status, 422)
      await k('debug p --image=busybox --copy-to=copy --container=extra -- date')
      assert.equal(await k('get pod copy -o jsonpath={.spec.containers[*].name}'), 'p extra')
      const node = `node-of-${namespace}`
      await api.create('/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata: { name: node } })
      await kubectl.run('debug', `node/${node}`, '--image=busybox', '-n', namespace, '--', 'date')
      const pods = JSON.parse(await k('get pods -o json')).items as { metadata: { name: string }; spec: { nodeName?: string } }[]
      assert(
        pods.some(({ metadata, spec: { nodeName } }) => metadata.name.startsWith('node-debugger-') && nodeName === node),
        'no pod on the node',
      )
    },
    // Older versions use an EphemeralContainers kind that was removed in 1.22.
    23,
  )

  on('get, create, replace and delete --raw', async ({ kubectl, namespace, file }) => {
    const url = `/api/v1/namespaces/${namespace}/configmaps`
    const map = (v: string) => file(`raw${v}.json`, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'raw' }, data: { v } })
    const created = JSON.parse(await kubectl.run('create', '--raw', url, '-f', map('1')))
    assert.equal(created.data.v, '1')
    const replaced = JSON.parse(await kubectl.run('replace', '--raw', `${url}/raw`, '-f', map('2')))
    assert.equal(replaced.metadata.uid, created.metadata.uid)
    assert.equal(JSON.parse(await kubectl.run('get', '--raw', `${url}/raw`)).data.v, '2')
    assert.equal(JSON.parse(await kubectl.run('get', '--raw', `${url}?limit=1`)).kind, 'ConfigMapList')
    assert.equal(JSON.parse(await kubectl.run('delete', '--raw', `${url}/raw`)).status, 'Success')
    const missing = await kubectl.try(['get', '--raw', `${url}/raw`])
    assert.match(missing.stderr, /configmaps "raw" not found/)
    for (const path of ['/healthz', '/livez', '/readyz']) assert.equal((await kubectl.run('get', '--raw', path)).trim(), 'ok')
    assert.equal(JSON.parse(await kubectl.run('get', '--raw', '/openapi/v2')).swagger, '2.0')
    const { paths } = JSON.parse(await kubectl.run('get', '--raw', '/openapi/v3'))
    assert.match(paths['apis/apps/v1'].serverRelativeURL, /^\/openapi\/v3\/apis\/apps\/v1\?hash=/)
    assert.equal(JSON.parse(await kubectl.run('get', '--raw', '/version')).minor, '36')
  })
}
