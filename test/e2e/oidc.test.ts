/** Logins at an OpenID provider, with a daemon configured by flags or by a file. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Daemon, readCredentials, runProgram, startDaemon } from '../support/daemon.ts'
import { kubectls, kubectlWith } from '../support/kubectl.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'

const directory = temporaryDirectory('oidc')
const caFile = join(directory.path, 'provider.crt')
let provider: OidcProvider
let groups = 0

before(async () => {
  provider = await startOidcProvider()
  writeFileSync(caFile, provider.ca)
})
after(async () => {
  await provider?.stop()
  directory.remove()
})

const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

/** Requests with only a bearer token, or anonymous. */
function asBearer(daemon: Daemon) {
  const { ca } = readCredentials(daemon.kubeconfig)
  const { fetch, close } = tlsFetch(daemon.url, { ca, cert: '', key: '' })
  return {
    close,
    async status(path: string, token?: string): Promise<number> {
      const response = await fetch(path, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
      await response.arrayBuffer()
      return response.status
    },
    async user(token: string): Promise<Record<string, unknown> | number> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(whoAmI, { method: 'POST', headers, body: JSON.stringify(review) })
      const body = (await response.json()) as { status: { userInfo: Record<string, unknown> } }
      return response.ok ? body.status.userInfo : response.status
    },
  }
}

/** Grants a group read access to everything. */
async function letRead(daemon: Daemon, group: string): Promise<void> {
  const binding = {
    metadata: { name: `readers-${groups++}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  }
  const headers = { 'content-type': 'application/json' }
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
  const response = await daemon.fetch(path, { method: 'POST', headers, body: JSON.stringify(binding) })
  assert.equal(response.status, 201, await response.text())
}

function configuration(changes: object = {}): object {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: provider.issuer, certificateAuthority: provider.ca, audiences: [provider.clientId] },
        claimMappings: {
          username: { expression: "'oidc:' + claims.sub" },
          groups: { expression: "claims.?groups.orValue([]).map(g, 'oidc:' + g)" },
          extra: [{ key: 'example.org/department', valueExpression: "claims.?department.orValue('')" }],
        },
        userValidationRules: [{ expression: "user.username != 'oidc:mallory'", message: 'not mallory' }],
      },
    ],
    ...changes,
  }
}

function writeConfiguration(name: string, content: object | string): string {
  const path = join(directory.path, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const eventuallyUser = (client: ReturnType<typeof asBearer>, token: string) =>
  eventually('the token is accepted', async () => {
    const user = await client.user(token)
    return typeof user === 'object' && user
  })

describe('--oidc-*', () => {
  let daemon: Daemon
  before(async () => {
    const flags = [`--oidc-issuer-url=${provider.issuer}`, `--oidc-client-id=${provider.clientId}`, `--oidc-ca-file=${caFile}`]
    daemon = await startDaemon({
      flags: [...flags, '--oidc-groups-claim=groups', '--oidc-groups-prefix=oidc:', '--oidc-required-claim=department=it'],
    })
  })
  after(() => daemon?.stop())

  test('usernames are prefixed with the issuer, groups with the configured prefix, and required claims are checked', async () => {
    const client = asBearer(daemon)
    await provider.say({ groups: ['dev', 'ops'], department: 'it' })
    const user = await eventuallyUser(client, await provider.login('jane'))
    assert.equal(user['username'], `${provider.issuer}#jane`)
    assert.deepEqual(user['groups'], ['oidc:dev', 'oidc:ops', 'system:authenticated'])
    await provider.say({ department: 'sales' })
    assert.equal(await client.user(await provider.login('joe')), 401)
    assert.match(daemon.log(), /required claim department value does not match/)
    client.close()
  })

  test('a refused token gets no reason', async () => {
    const token = await provider.login('jane')
    const [header = '', payload = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const { ca } = readCredentials(daemon.kubeconfig)
    const { fetch, close } = tlsFetch(daemon.url, { ca, cert: '', key: '' })
    for (const bad of [
      `${header}.${forged}.${signature}`,
      `${unsigned}.${payload}.`,
      `${token.slice(0, -8)}AAAAAAAA`,
      'x'.repeat(200_000),
    ]) {
      const response = await fetch('/api/v1/namespaces', { headers: { authorization: `Bearer ${bad}` } })
      const { message, reason, details } = (await response.json()) as { message: string; reason: string; details?: unknown }
      assert.deepEqual([response.status, message, reason, details], [401, 'Unauthorized', 'Unauthorized', undefined])
    }
    close()
    assert.match(daemon.log(), /unsupported algorithm/)
    assert.match(daemon.log(), /failed to verify id token signature/)
    assert.ok(!daemon.log().includes(signature), 'no signature in the log')
  })

  test('a token review knows the user', async () => {
    await provider.say({ groups: ['dev'], department: 'it' })
    const ask = async (spec: object) => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec }
      const headers = { 'content-type': 'application/json' }
      const response = await daemon.fetch('/apis/authentication.k8s.io/v1/tokenreviews', {
        method: 'POST',
        headers,
        body: JSON.stringify(review),
      })
      return ((await response.json()) as { status: { authenticated?: boolean; user?: object } }).status
    }
    const token = await provider.login('jane')
    const status = await ask({ token })
    assert.equal(status.authenticated, true)
    assert.deepEqual(status.user, { username: `${provider.issuer}#jane`, groups: ['oidc:dev', 'system:authenticated'] })
    assert.notEqual((await ask({ token, audiences: ['https://other.example'] })).authenticated, true)
    assert.notEqual((await ask({ token: `${token}x` })).authenticated, true)
  })

  const found = kubectls()
  if (found.length === 0) test('kubectl', { skip: 'no kubectl on PATH or in KUBECTL_PATHS' }, () => {})
  for (const binary of found) {
    test(`kubectl ${binary.version} with a token, and with a credential plugin`, async () => {
      await provider.say({ groups: ['dev'], department: 'it' })
      await letRead(daemon, 'oidc:dev')
      const token = await provider.login('jane')
      const { ca } = readCredentials(daemon.kubeconfig)
      const plugin = join(directory.path, `plugin-${binary.minor}.cjs`)
      const version = binary.minor >= 24 ? 'client.authentication.k8s.io/v1' : 'client.authentication.k8s.io/v1beta1'
      const credential = { apiVersion: version, kind: 'ExecCredential', status: { token } }
      writeFileSync(plugin, `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`)
      const exec = { apiVersion: version, command: process.execPath, args: [plugin], interactiveMode: 'Never' }
      const kubeconfig = writeConfiguration(`kubeconfig-${binary.minor}`, {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'nobody',
        clusters: [{ name: 'c', cluster: { server: daemon.url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
        users: [
          { name: 'nobody', user: {} },
          { name: 'plugin', user: { exec } },
        ],
        contexts: ['nobody', 'plugin'].map((user) => ({ name: user, context: { cluster: 'c', user } })),
      })
      const kubectl = kubectlWith(binary, kubeconfig, directory.path)
      assert.match(await kubectl.run('get', 'namespaces', '--token', token), /default +Active/)
      assert.match(await kubectl.run('get', 'configmaps', '--context=plugin'), /kube-root-ca\.crt|No resources found/)
      const refused = await kubectl.try(['get', 'secrets', '--context=plugin'])
      assert.match(refused.stderr, /User "https:.*#jane" cannot list resource "secrets"/)
      const bad = await kubectl.try(['get', 'namespaces', '--token', `${token}x`])
      assert.match(bad.stderr, /must be logged in to the server|Unauthorized/)
      if (binary.minor >= 28) assert.match(await kubectl.run('auth', 'whoami', '--context=plugin'), /Username +https:.*#jane/)
    })
  }
})

test('keys are rotated under load, and no request fails', async () => {
  const path = writeConfiguration('rotation.yaml', configuration())
  const daemon = await startDaemon({ flags: [`--authentication-config=${path}`] })
  const client = asBearer(daemon)
  try {
    await provider.say({ groups: [], department: 'it' })
    const old = await provider.login('jane')
    assert.deepEqual((await eventuallyUser(client, old))['extra'], { 'example.org/department': ['it'] })
    const callsBefore = (await provider.tell('count')) as number
    const tokens = [old]
    const statuses = new Map<number, number>()
    let running = true
    const worker = async () => {
      for (let turn = 0; running; turn++) {
        const status = await client.status('/version', tokens[turn % tokens.length])
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const workers = Array.from({ length: 8 }, worker)
    for (let rotation = 0; rotation < 3; rotation++) {
      await provider.tell('rotate')
      // Each login gives a new token, signed with the new key.
      for (let i = 0; i < 5; i++) tokens.push(await provider.login(`user-${rotation}-${i}`))
    }
    await eventually('all tokens are used', async () => (statuses.get(200) ?? 0) > 400)
    running = false
    await Promise.all(workers)
    assert.deepEqual([...statuses.keys()], [200], JSON.stringify([...statuses]))
    assert.ok(((await provider.tell('count')) as number) - callsBefore <= 6, 'about one JWKS request per rotation')
    assert.equal(await client.user(await provider.login('mallory')), 401)
    assert.match(daemon.log(), /not mallory/)
  } finally {
    client.close()
    await daemon.stop()
  }
})

test('the provider is down at start and comes up later; the file changes while the server runs', async () => {
  const path = writeConfiguration('reload.yaml', configuration({ anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }))
  const token = await provider.login('jane')
  await provider.tell('down')
  const daemon = await startDaemon({ flags: [`--authentication-config=${path}`] })
  const client = asBearer(daemon)
  try {
    assert.equal(await client.status('/version', token), 401)
    assert.match(daemon.log(), /OIDC discovery failed; retrying/)
    assert.equal(await client.status('/livez'), 200, 'anonymous on the path in the file')
    assert.equal(await client.status('/version'), 401, 'and on no other')
    await provider.tell('listen')
    const user = await eventually('the provider is found', async () => {
      const found = await client.user(token)
      return typeof found === 'object' && found
    })
    assert.equal(user['username'], 'oidc:jane')

    const anonymous = { enabled: true, conditions: [{ path: '/livez' }] }
    const bad: readonly (readonly [content: object | string, why: RegExp])[] = [
      ['not: [yaml', /reload\.yaml: line 1/],
      [
        configuration({ anonymous, jwt: [{ issuer: {} }] }),
        /jwt\[0\]\.issuer\.url: Required value.*claimMappings\.username: Required value/,
      ],
      [configuration({ anonymous: { enabled: false } }), /anonymous: Forbidden: changed from initial configuration file/],
    ]
    for (const [content, why] of bad) {
      writeConfiguration('reload.yaml', content)
      await eventually(`${why} is logged`, async () => why.test(daemon.log()))
      assert.equal(typeof (await client.user(token)), 'object', 'the last valid file stays in use')
    }
    const text = JSON.stringify(configuration({ anonymous })).replace("'oidc:' + claims.sub", "'new:' + claims.sub")
    writeConfiguration('reload.yaml', text)
    await eventually('the new file is used', async () => {
      const found = await client.user(token)
      return typeof found === 'object' && found['username'] === 'new:jane'
    })
    assert.ok(!daemon.log().includes(token), 'no token in the log')
    const metrics = await (await daemon.fetch('/metrics')).text()
    assert.match(
      metrics,
      /authentication_config_controller_automatic_reloads_total\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="success"\} 1\n/,
    )
    assert.match(
      metrics,
      /authentication_config_controller_automatic_reloads_total\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="failure"\} 3\n/,
    )
    assert.match(
      metrics,
      /authentication_config_controller_last_config_info\{apiserver_id_hash="sha256:[0-9a-f]{64}",hash="sha256:[0-9a-f]{64}"\} 1\n/,
    )
    assert.match(metrics, /jwt_authenticator_latency_seconds_count\{jwt_issuer_hash="sha256:[0-9a-f]{64}",result="success"\} \d+\n/)
    assert.match(metrics, /jwt_authenticator_jwks_fetch_last_timestamp_seconds\{[^}]*result="success"\} \d/)
    assert.match(metrics, /jwt_authenticator_jwks_fetch_last_key_set_info\{[^}]*hash="sha256:[0-9a-f]{64}"\} 1\n/)
  } finally {
    client.close()
    await daemon.stop()
  }
})

test('invalid files and flags prevent the start, with all errors', async () => {
  const broken = writeConfiguration('broken.yaml', {
    ...configuration(),
    jwt: [
      {
        issuer: { url: 'http://x', audiences: ['a'] },
        claimMappings: { username: { expression: 'claims.' }, groups: { claim: 'g' } },
        userValidationRules: [{ expression: 'user.name' }],
      },
    ],
  })
  const { code, stderr } = await runProgram([
    `--authentication-config=${broken}`,
    '--data-dir=:memory:',
    `--cert-dir=${directory.path}/pki`,
  ])
  assert.equal(code, 1)
  for (const part of [
    /url: .*https/,
    /username\.expression: .*compilation failed/,
    /groups\.prefix: Required/,
    /\[0\]\.expression: .*undefined field 'name'/,
  ]) {
    assert.match(stderr, part)
  }
  const usable = writeConfiguration('usable.yaml', configuration({ anonymous: { enabled: false } }))
  const clashes = ['--anonymous-auth=true', `--oidc-issuer-url=${provider.issuer}`, '--oidc-client-id=x']
  const both = await runProgram([
    `--authentication-config=${usable}`,
    ...clashes,
    '--data-dir=:memory:',
    `--cert-dir=${directory.path}/pki`,
  ])
  assert.equal(both.code, 1)
  assert.match(both.stderr, /--authentication-config and --oidc-issuer-url are mutually exclusive.*--anonymous-auth are mutually exclusive/)
})

test('--authorization-mode=AlwaysAllow disables anonymous requests', async () => {
  const daemon = await startDaemon({ flags: ['--authorization-mode=AlwaysAllow'] })
  const client = asBearer(daemon)
  try {
    assert.equal(await client.status('/version'), 401)
    assert.match(daemon.log(), /--authorization-mode=AlwaysAllow: every request with credentials may do everything/)
  } finally {
    client.close()
    await daemon.stop()
  }
})
