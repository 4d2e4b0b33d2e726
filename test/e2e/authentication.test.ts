/** Every authentication method, with kubectl over TLS; and no credentials in the log. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { type Api, apiOf } from '../support/api.ts'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { type Kubectl, kubectls, kubectlWith } from '../support/kubectl.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { startTokenWebhook, type TokenWebhook } from '../support/token-webhook.ts'
import { eventually } from '../support/wait.ts'

const directory = temporaryDirectory('authn')
const file = (name: string, content: string) => {
  const path = join(directory.path, name)
  writeFileSync(path, content)
  return path
}
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const clients = issueAuthority('clients', newKey(), Date.now())
const proxies = issueAuthority('proxies', newKey(), Date.now())
const clientCa = file('clients.pem', clients.certPem)
const now = () => Date.now()
const identity = (commonName: string, organizations: string[] = [], ca = clients) => issue(ca, { commonName, organizations }, now())
const secrets = {
  static: 'static-5ae1c3',
  joinPassword: '0123456789abcdef',
  hooked: 'good-hooked.7f3a91',
  refused: 'refused-secret-11c2',
  unknown: 'nobody-knows-3fe2',
}
const joining = `abcdef.${secrets.joinPassword}`
const used: string[] = Object.values(secrets)

let daemon: Daemon
let webhook: TokenWebhook
let api: Api
let serverCa = ''

before(async () => {
  webhook = await startTokenWebhook(directory.path)
  daemon = await startDaemon({
    flags: [
      '--platform=kubernetes',
      '--v=9',
      `--client-ca-file=${clientCa}`,
      `--token-auth-file=${file('tokens.csv', `${secrets.static},static-user,s1,"team a,ops"\n`)}`,
      '--enable-bootstrap-token-auth',
      `--requestheader-client-ca-file=${file('proxies.pem', proxies.certPem)}`,
      '--requestheader-allowed-names=front-proxy,other-proxy',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-uid-headers=X-Remote-Uid',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--authentication-token-webhook-config-file=${webhook.connectionFile}`,
      '--authentication-token-webhook-version=v1',
      '--service-account-issuer=https://issuer.example',
      `--service-account-signing-key-file=${file('sa.key', signing.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
      `--service-account-key-file=${file('sa.pub', signing.publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
      '--service-account-max-token-expiration=2h',
    ],
  })
  api = apiOf(daemon.fetch)
  serverCa = readCredentials(daemon.kubeconfig).ca
})
after(async () => {
  await daemon?.stop()
  await webhook?.stop()
  directory.remove()
})

interface Who {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

/** The user according to SelfSubjectReview, or the status of the refusal. */
async function whoIs(headers: HeadersInit, { certPem: cert, keyPem: key } = { certPem: '', keyPem: '' }): Promise<Who | number> {
  const { fetch, close } = tlsFetch(daemon.url, { ca: serverCa, cert, key })
  try {
    const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' }
    const { status, body } = await apiOf(fetch).send<{ status: { userInfo: Who } }>(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      review,
      headers,
    )
    return status === 201 ? body.status.userInfo : status
  } finally {
    close()
  }
}
const withToken = (token: string) => whoIs({ authorization: `Bearer ${token}` })

async function makeBootstrapSecret(): Promise<void> {
  await api.create('/api/v1/namespaces/kube-system/secrets', {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': secrets.joinPassword,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    },
  })
}

const found = kubectls().at(-1)

describe('with kubectl', { skip: found === undefined && 'no kubectl on PATH or in KUBECTL_PATHS' }, () => {
  let kubectl: Kubectl
  before(() => {
    assert.ok(found, 'a kubectl')
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
    }
    const cluster = { server: daemon.url, 'certificate-authority-data': Buffer.from(serverCa).toString('base64') }
    const path = file('kubeconfig', JSON.stringify({ ...config, clusters: [{ name: 'c', cluster }] }))
    kubectl = kubectlWith(found, path, directory.path)
  })
  const who = async (...flags: string[]): Promise<Who> =>
    JSON.parse(await kubectl.run('auth', 'whoami', '-o', 'json', ...flags)).status.userInfo

  test('a static token', async () => {
    assert.deepEqual(await who(`--token=${secrets.static}`), {
      username: 'static-user',
      uid: 's1',
      groups: ['team a', 'ops', 'system:authenticated'],
    })
    const { code, stderr } = await kubectl.try(['get', 'pods', `--token=${secrets.unknown}`])
    assert.equal(code, 1)
    assert.match(stderr, /You must be logged in to the server/)
  })

  test('a client certificate', async () => {
    const jane = identity('jane', ['team b'])
    const flags = [`--client-certificate=${file('jane.pem', jane.certPem)}`, `--client-key=${file('jane.key', jane.keyPem)}`]
    const { username, groups } = await who(...flags)
    assert.deepEqual([username, groups], ['jane', ['team b', 'system:authenticated']])
  })

  test('create token: the token works until its service account is deleted', async () => {
    const admin = kubectlWith(kubectl.binary, daemon.kubeconfig, directory.path)
    await admin.run('create', 'serviceaccount', 'robot')
    const token = (await admin.run('create', 'token', 'robot', '--duration=1h')).trim()
    used.push(token)
    const { username, groups } = await who(`--token=${token}`)
    assert.equal(username, 'system:serviceaccount:default:robot')
    assert.deepEqual(groups, ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'])
    const long = await admin.try(['create', 'token', 'robot', '--duration=24h'])
    assert.match(long.stderr, /requested expiration of 86400 seconds shortened to 7200 seconds/)
    used.push(long.stdout.trim())
    const { exp = 0, iat = 0 } = decodeJwt(long.stdout.trim())
    assert.equal(exp - iat, 7200)
    await admin.run('delete', 'serviceaccount', 'robot')
    await eventually('the token is refused', async () => (await withToken(token)) === 401)
  })

  test('a token bound to a secret is invalid after the secret is deleted', async () => {
    const admin = kubectlWith(kubectl.binary, daemon.kubeconfig, directory.path)
    await admin.run('create', 'serviceaccount', 'bound')
    await admin.run('create', 'secret', 'generic', 'anchor')
    const token = (await admin.run('create', 'token', 'bound', '--bound-object-kind=Secret', '--bound-object-name=anchor')).trim()
    used.push(token)
    assert.equal((await who(`--token=${token}`)).username, 'system:serviceaccount:default:bound')
    await admin.run('delete', 'secret', 'anchor')
    await eventually('the token is refused', async () => (await withToken(token)) === 401)
  })

  test('a bootstrap token', async () => {
    await makeBootstrapSecret()
    assert.deepEqual(await who(`--token=${joining}`), {
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
    })
    assert.equal(await withToken('abcdef.0123456789abcdeg'), 401)
    await api.delete('/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef')
    assert.equal(await withToken(joining), 401)
  })

  test('a token accepted by a webhook', async () => {
    const { username, groups } = await who(`--token=${secrets.hooked}`)
    assert.deepEqual([username, groups], ['hooked.7f3a91', ['hooked', 'system:authenticated']])
    await who(`--token=${secrets.hooked}`)
    assert.equal((await webhook.counts())[secrets.hooked], 1, 'the answer is cached')
    assert.equal(await withToken(secrets.refused), 401)
  })
})

describe('a front proxy', () => {
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-uid': '1-2',
    'x-remote-group': 'cn=a, ou=b',
    'x-remote-extra-example.com%2fTeam': 'blue',
  }

  test('passes the user in headers', async () => {
    assert.deepEqual(await whoIs(headers, identity('front-proxy', [], proxies)), {
      username: 'jane',
      uid: '1-2',
      groups: ['cn=a, ou=b', 'system:authenticated'],
      extra: { 'example.com/team': ['blue'] },
    })
  })

  test('may repeat headers, over HTTP/2 too', async () => {
    const { certPem: cert, keyPem: key } = identity('other-proxy', [], proxies)
    const session = connect(daemon.url, { ca: serverCa, cert, key })
    const stream = session.request({
      ':method': 'POST',
      ':path': '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      'content-type': 'application/json',
      'x-remote-user': 'jane',
      'x-remote-group': ['a', 'b, c', 'd'],
    })
    stream.end(JSON.stringify({ kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' }))
    let text = ''
    for await (const chunk of stream.setEncoding('utf8')) text += chunk
    session.close()
    const { status } = JSON.parse(text) as { status: { userInfo: Who } }
    assert.deepEqual(status.userInfo.groups, ['a', 'b, c', 'd', 'system:authenticated'])
  })

  test('is trusted only with a certificate of the request header CA and an allowed name', async () => {
    assert.equal(await whoIs(headers, identity('stranger', [], proxies)), 401)
    assert.equal(((await whoIs(headers, identity('front-proxy'))) as Who).username, 'front-proxy', 'a plain client with that name')
    assert.equal(await whoIs(headers), 403, 'anonymous without a certificate')
    assert.equal(await whoIs({}, identity('front-proxy', [], proxies)), 401, 'not a client certificate')
  })

  test('its configuration is published for aggregated servers, and restored after changes', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
    const read = () => eventually('the config map', async () => (await api.get(path)).body.data)
    const data = await read()
    assert.equal(data['requestheader-allowed-names'], '["front-proxy","other-proxy"]')
    assert.equal(data['requestheader-username-headers'], '["X-Remote-User"]')
    assert.equal(data['requestheader-uid-headers'], '["X-Remote-Uid"]')
    assert.equal(data['requestheader-group-headers'], '["X-Remote-Group"]')
    assert.equal(data['requestheader-extra-headers-prefix'], '["X-Remote-Extra-"]')
    assert.equal(data['requestheader-client-ca-file'], proxies.certPem)
    assert.ok(data['client-ca-file']?.includes(clients.certPem), 'the client CA')
    await api.delete(path)
    assert.deepEqual(await read(), data, 'it is restored')
  })
})

test('a token stored in a secret', async () => {
  const account = await api.create('/api/v1/namespaces/default/serviceaccounts', {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'old' },
  })
  const claim = (key: string) => `kubernetes.io/serviceaccount/${key}`
  const claims = {
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:default:old',
    [claim('namespace')]: 'default',
    [claim('secret.name')]: 'old-token',
    [claim('service-account.name')]: 'old',
    [claim('service-account.uid')]: account.metadata.uid,
  }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(signing.privateKey)
  used.push(token)
  assert.equal(await withToken(token), 401, 'not without its secret')
  const path = '/api/v1/namespaces/default/secrets'
  await api.create(path, {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'old-token', annotations: { 'kubernetes.io/service-account.name': 'old' } },
    type: 'kubernetes.io/service-account-token',
    stringData: { token },
  })
  assert.equal(((await withToken(token)) as Who).username, 'system:serviceaccount:default:old')
  const { body } = await api.get(`${path}/old-token`)
  assert.match(body.metadata.labels?.['kubernetes.io/legacy-token-last-used'] ?? '', /^\d{4}-\d\d-\d\d$/)
  await api.delete(`${path}/old-token`)
  await eventually('the token is refused', async () => (await withToken(token)) === 401)
})

test('third parties can verify service account tokens', async () => {
  const discovery = await api.get<{ issuer: string; jwks_uri: string }>('/.well-known/openid-configuration')
  assert.equal(discovery.headers.get('content-type'), 'application/json')
  assert.equal(discovery.headers.get('cache-control'), 'public, max-age=3600')
  assert.equal(discovery.body.issuer, 'https://issuer.example')
  assert.match(discovery.body.jwks_uri, /^https:\/\/.*\/openid\/v1\/jwks$/)
  const set = await daemon.fetch('/openid/v1/jwks')
  assert.equal(set.headers.get('content-type'), 'application/jwk-set+json')
  const { keys } = (await set.json()) as { keys: { alg: string; use: string; kid: string }[] }
  assert.deepEqual(
    keys.map(({ alg, use }) => [alg, use]),
    [['ES256', 'sig']],
  )
})

test('a changed client CA file is reloaded; an invalid one is ignored', async () => {
  const next = issueAuthority('next', newKey(), now())
  const jane = issue(next, { commonName: 'jane', organizations: [] }, now())
  assert.equal(await whoIs({}, jane), 401)
  file('clients.pem', 'no certificate at all')
  await eventually('the invalid file is logged', async () => daemon.log().includes('client CA bundles not reloaded'))
  assert.notEqual(await whoIs({}, identity('old')), 401, 'the last valid ones stay')
  file('clients.pem', next.certPem)
  await eventually('the new CA is trusted', async () => (await whoIs({}, jane)) !== 401)
  assert.equal(await whoIs({}, identity('old')), 401)
})

test('metrics count authentication methods without naming users', async () => {
  const { body } = await api.get<string>('/metrics')
  const count = (series: string) =>
    Number(
      body
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1) ?? 0,
    )
  await whoIs({}, identity('counted'))
  for (const result of ['success', 'error']) assert.ok(count(`authentication_attempts{result="${result}"}`) > 0, result)
  for (const status of ['hit', 'miss']) assert.ok(count(`authentication_token_cache_request_total{status="${status}"}`) > 0, status)
  assert.ok(count('authenticated_user_requests{username="other"}') > 0, 'users by kind')
  assert.ok(count('serviceaccount_legacy_tokens_total') > 0, 'tokens stored in secrets')
  assert.ok(count('apiserver_client_certificate_expiration_seconds_count') > 0, 'client certificates')
  assert.doesNotMatch(body, /jane|front-proxy|static-user/)
})

test('the log contains no credentials', () => {
  const log = daemon.output()
  assert.match(log, /unable to authenticate the request/, 'the log has the error')
  for (const secret of used) assert.ok(!log.includes(secret), `the log has a secret that starts with ${secret.slice(0, 8)}`)
  assert.doesNotMatch(log, /PRIVATE KEY/)
})
