/** Authentication flags that prevent the start, and their error messages. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { apiOf } from '../support/api.ts'
import { runProgram, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { startSigner } from '../support/signer.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const directory = temporaryDirectory('authn-start')
after(() => directory.remove())
const file = (name: string, content: string) => {
  const path = join(directory.path, name)
  writeFileSync(path, content)
  return path
}
const configuration = (body: object) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', ...body })
const jwt = [{ issuer: { url: 'https://a', audiences: ['b'] }, claimMappings: { username: { claim: 'sub', prefix: '' } } }]
const withJwt = file('jwt.yaml', configuration({ jwt }))
const withAnonymous = file('anonymous.yaml', configuration({ anonymous: { enabled: true } }))
const nonsense = file('nonsense', 'nothing that anybody could use')

let turn: Promise<unknown> = Promise.resolve()

async function refuses(flags: readonly string[], ...parts: readonly string[]): Promise<void> {
  const own = [
    '--bind-address=127.0.0.1',
    `--secure-port=${await freePort()}`,
    '--data-dir=:memory:',
    `--cert-dir=${join(directory.path, 'pki')}`,
  ]
  // One after the other: they share a directory of certificates.
  const ended = turn.then(() => runProgram([...own, ...flags]))
  turn = ended.catch(() => undefined)
  const { code, stderr } = await ended
  assert.equal(code, 1, stderr)
  const lines = stderr.trimEnd().split('\n')
  const last = lines.at(-1) ?? ''
  for (const part of parts) assert.ok(last.includes(part), `${JSON.stringify(part)} in ${last}`)
}

test('request header names that aggregated servers do not expect give a warning', async () => {
  const flags = ['--requestheader-username-headers=X-Other', '--data-dir=:memory:']
  const daemon = await startDaemon({ flags })
  await daemon.stop()
  assert.match(daemon.output(), /--requestheader-username-headers is set without specifying the standard X-Remote-User header/)
})

const openssl = spawnSync('openssl', ['version']).status === 0
test('the names of the client CAs are sent soon after the start', { skip: !openssl && 'needs openssl' }, async () => {
  const daemon = await startDaemon()
  try {
    await eventually('the name of our CA', async () => {
      const child = promisify(execFile)('openssl', ['s_client', '-connect', `127.0.0.1:${daemon.port}`])
      child.child.stdin?.end()
      return /Acceptable client certificate CA names\s+CN ?= ?platform-ca/.test((await child).stdout)
    })
  } finally {
    await daemon.stop()
  }
})

describe('mutually exclusive flags', { concurrency: 2 }, () => {
  const pairs: readonly (readonly [one: string, other: string])[] = [
    ['--service-account-signing-endpoint=/nowhere', '--service-account-key-file=k'],
    ['--service-account-signing-endpoint=/nowhere', '--service-account-signing-key-file=k'],
    ['--authorization-config=/nowhere', '--authorization-mode=RBAC'],
    ['--authorization-config=/nowhere', '--authorization-webhook-config-file=f'],
    ['--authorization-config=/nowhere', '--authorization-webhook-version=v1'],
    ['--authorization-config=/nowhere', '--authorization-webhook-cache-authorized-ttl=1s'],
    ['--authorization-config=/nowhere', '--authorization-webhook-cache-unauthorized-ttl=1s'],
    [`--authentication-config=${withAnonymous}`, '--anonymous-auth=true'],
    [`--authentication-config=${withAnonymous}`, '--anonymous-auth=false'],
  ]
  const nameOf = (flag: string) => flag.replace(/=.*/, '')
  for (const [one, other] of pairs) {
    test(`${nameOf(one)} and ${other}`, () => refuses([one, other], nameOf(one), nameOf(other), 'mutually exclusive'))
  }
  test('--authentication-config with a JWT issuer and --oidc-*', () =>
    refuses(
      [`--authentication-config=${withJwt}`, '--oidc-issuer-url=https://c', '--oidc-client-id=d'],
      '--authentication-config',
      '--oidc-issuer-url',
      'mutually exclusive',
    ))
  test('also when the flags are incomplete and the file is invalid', () =>
    refuses(
      [`--authentication-config=${file('wrong.yaml', configuration({ jwt: [{ nonsense: 1 }] }))}`, '--oidc-client-id=d'],
      '--authentication-config',
      '--oidc-client-id',
      'mutually exclusive',
    ))
  test('complete --oidc-* flags are used beside a file without issuers', async () => {
    const daemon = await startDaemon({
      flags: [`--authentication-config=${withAnonymous}`, '--oidc-issuer-url=https://127.0.0.1:1', '--oidc-client-id=d'],
    })
    await daemon.stop()
    assert.match(daemon.output(), /127\.0\.0\.1:1/, 'the issuer is asked for its keys')
  })
  test('incomplete flags are an error also beside a file without issuers', () =>
    refuses([`--authentication-config=${withAnonymous}`, '--oidc-client-id=d'], '--oidc-issuer-url', 'must be set together'))
})

describe('one CA for clients and for front proxies', () => {
  const [shared, other] = [issueAuthority('shared', newKey(), Date.now()), issueAuthority('other', newKey(), Date.now())]
  const both = () => [
    `--client-ca-file=${file('clients.pem', shared.certPem)}`,
    `--requestheader-client-ca-file=${file('proxies.pem', other.certPem + shared.certPem)}`,
  ]
  test('requires allowed names of proxies', () =>
    refuses(both(), '--requestheader-client-ca-file', '--client-ca-file', '--requestheader-allowed-names'))
  test('requires them also when it is the CA of the server', async () => {
    await refuses(['--client-ca-file=/nowhere'], '/nowhere')
    await refuses([`--requestheader-client-ca-file=${join(directory.path, 'pki/ca.crt')}`], '--requestheader-allowed-names')
  })
  test('is accepted with allowed names', async () => {
    const daemon = await startDaemon({ flags: [...both(), '--requestheader-allowed-names=front'] })
    await daemon.stop()
  })
})

describe('invalid values', { concurrency: 2 }, () => {
  const egress = [{ ...jwt[0], issuer: { ...jwt[0]?.issuer, egressSelectorType: 'cluster' } }]
  const connection = { type: 'KubeConfigFile', kubeConfigFile: '/nowhere/config' }
  const hook = { timeout: '3s', subjectAccessReviewVersion: 'v1', failurePolicy: 'Deny', connectionInfo: connection }
  const rows: readonly (readonly [flags: () => readonly string[], ...parts: string[]])[] = [
    [
      () => ['--service-account-issuer=https://a', '--service-account-issuer=https://a'],
      '--service-account-issuer',
      '"https://a"',
      'twice',
    ],
    [() => ['--service-cluster-ip-range=10.0.0.0/30'], '--service-cluster-ip-range', 'at least 8 IP addresses'],
    [() => ['--service-cluster-ip-range=10.0.0.0/24,fd00::/126'], '--service-cluster-ip-range', 'at least 8 IP addresses'],
    [() => [`--authentication-config=${file('egress.yaml', configuration({ jwt: egress }))}`], 'jwt[0].issuer.egressSelectorType', 'file'],
    [
      () => [
        '--platform=kubernetes',
        `--authorization-config=${file(
          'authz.yaml',
          JSON.stringify({
            apiVersion: 'apiserver.config.k8s.io/v1',
            kind: 'AuthorizationConfiguration',
            authorizers: [{ type: 'Webhook', name: 'w', webhook: hook }],
          }),
        )}`,
      ],
      'connectionInfo.kubeConfigFile',
      '/nowhere/config',
    ],
    [() => [`--client-ca-file=${nonsense}`], '--client-ca-file', 'nonsense', 'no certificates'],
    [() => [`--requestheader-client-ca-file=${nonsense}`], '--requestheader-client-ca-file', 'nonsense', 'no certificates'],
    [() => ['--requestheader-client-ca-file=/nowhere'], '--requestheader-client-ca-file', '/nowhere', 'no such file'],
    [() => ['--requestheader-username-headers=X Remote'], '--requestheader-username-headers', 'X Remote', 'name of a header'],
    [() => ['--requestheader-uid-headers=X-Other'], '--requestheader-uid-headers', 'X-Remote-Uid'],
    [() => [`--service-account-key-file=${nonsense}`], '--service-account-key-file', 'nonsense', 'no RSA or ECDSA key'],
    [
      () => [`--service-account-signing-key-file=${nonsense}`, `--service-account-key-file=${nonsense}`],
      '--service-account-signing-key-file',
      'nonsense',
    ],
    [() => ['--service-account-issuer='], '--service-account-issuer'],
    [() => ['--service-account-issuer=not a : URI'], '--service-account-issuer', 'URI'],
    [() => ['--service-account-jwks-uri=http://x'], '--service-account-jwks-uri', 'https'],
    [() => ['--service-account-max-token-expiration=59m'], '--service-account-max-token-expiration', '59m'],
    [() => [`--token-auth-file=${file('short.csv', 'a,b\n')}`], 'short.csv', 'line 1', '3 columns'],
    [() => [`--token-auth-file=${file('quote.csv', 'a,b,c\n"d,e,f\n')}`], 'quote.csv', 'line 2'],
    [() => [`--authentication-token-webhook-config-file=${nonsense}`], '--authentication-token-webhook-config-file', 'nonsense'],
    [() => ['--authentication-token-webhook-config-file=/nowhere'], '--authentication-token-webhook-config-file', '/nowhere'],
    [() => ['--authentication-token-webhook-version=v2'], '--authentication-token-webhook-version', 'v2'],
  ]
  for (const [flags, ...parts] of rows) test(parts.join(' '), () => refuses(flags(), ...parts))
})

describe('an external signer', () => {
  test('limits the validity of tokens', async () => {
    const signer = await startSigner(directory.path, 'limits.sock')
    try {
      await refuses(
        [`--service-account-signing-endpoint=${signer.unixSocket}`, '--service-account-max-token-expiration=3h'],
        '--service-account-max-token-expiration',
        '--service-account-signing-endpoint',
        '7200s',
      )
    } finally {
      await signer.stop()
    }
  })

  test('signs tokens of a daemon', async () => {
    const signer = await startSigner(directory.path, 'daemon.sock')
    const daemon = await startDaemon({ flags: ['--platform=kubernetes', `--service-account-signing-endpoint=${signer.unixSocket}`] })
    try {
      const api = apiOf(daemon.fetch)
      await api.create('/api/v1/namespaces/default/serviceaccounts', {
        kind: 'ServiceAccount',
        apiVersion: 'v1',
        metadata: { name: 'robot' },
      })
      const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} }
      const path = '/api/v1/namespaces/default/serviceaccounts/robot/token'
      const issued = await api.send<{ status: { token: string } }>('POST', path, request)
      const review = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token: issued.body.status.token } }
      const { body } = await api.send<{ status: { user: { username: string } } }>(
        'POST',
        '/apis/authentication.k8s.io/v1/tokenreviews',
        review,
      )
      assert.equal(body.status.user.username, 'system:serviceaccount:default:robot')
    } finally {
      await daemon.stop()
      await signer.stop()
    }
  })
})
