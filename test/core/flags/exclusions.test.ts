import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { flagConflicts } from '../../../core/flags/exclusions.ts'
import { headerWarnings } from '../../../core/flags/header-warnings.ts'
import { parseFlags } from '../../../core/flags/parse.ts'

const conflicts = (...argv: string[]) => flagConflicts(parseFlags(argv, 'apiserver'))

test('request headers other than those expected by aggregated servers', () => {
  const warnings = (...argv: string[]) => headerWarnings(parseFlags(argv, 'apiserver'))
  const standard = ['--requestheader-username-headers=a,x-remote-USER', '--requestheader-group-headers=X-Remote-Group']
  assert.deepEqual(warnings(), [])
  assert.deepEqual(warnings(...standard, '--requestheader-extra-headers-prefix=X-Remote-Extra-'), [])
  assert.deepEqual(
    warnings('--requestheader-username-headers=a', '--requestheader-group-headers=b,c', '--requestheader-extra-headers-prefix=d-'),
    [
      '--requestheader-username-headers is set without specifying the standard X-Remote-User header - API aggregation will not work',
      '--requestheader-group-headers is set without specifying the standard X-Remote-Group header - API aggregation will not work',
      '--requestheader-extra-headers-prefix is set without specifying the standard X-Remote-Extra- header prefix - API aggregation will not work',
    ],
  )
})

test('no flags, no conflicts', () => assert.deepEqual(conflicts(), []))

describe('mutually exclusive', () => {
  const pairs: readonly (readonly [one: string, other: string])[] = [
    ['--authorization-config=f', '--authorization-mode=RBAC'],
    ['--authorization-config=f', '--authorization-webhook-config-file=g'],
    ['--authorization-config=f', '--authorization-webhook-version=v1'],
    ['--authorization-config=f', '--authorization-webhook-cache-authorized-ttl=1s'],
    ['--authorization-config=f', '--authorization-webhook-cache-unauthorized-ttl=1s'],
    ['--service-account-signing-endpoint=s', '--service-account-key-file=k'],
    ['--admission-control=Priority', '--enable-admission-plugins=NodeRestriction'],
    ['--admission-control=Priority', '--disable-admission-plugins=Priority'],
  ]
  for (const [one, other] of pairs) {
    test(`${one} conflicts with ${other}, in any order; each alone is valid`, () => {
      const name = (flag: string) => flag.replace(/=.*/, '')
      const expected = [`${name(one)} and ${name(other)} are mutually exclusive`]
      assert.deepEqual(conflicts(one, other), expected)
      assert.deepEqual(conflicts(other, one), expected)
      assert.deepEqual(conflicts(one), [])
    })
  }
  test('a signing endpoint and both key flags', () => {
    const found = conflicts('--service-account-signing-endpoint=s', '--service-account-signing-key-file=k', '--service-account-key-file=k')
    assert.equal(found.length, 2)
    assert.match(found[0] ?? '', /--service-account-signing-endpoint and --service-account-signing-key-file/)
  })
  test('a plugin both enabled and disabled', () => {
    const found = conflicts('--enable-admission-plugins=Priority,NodeRestriction', '--disable-admission-plugins=Priority')
    assert.deepEqual(found, ['--enable-admission-plugins and --disable-admission-plugins overlap: Priority'])
    assert.deepEqual(conflicts('--enable-admission-plugins=NodeRestriction', '--disable-admission-plugins=Priority'), [])
  })
})

describe('flags that must be set together', () => {
  const pairs: readonly (readonly [one: string, other: string])[] = [
    ['--tls-cert-file=a', '--tls-private-key-file=b'],
    ['--kvstore-certfile=a', '--kvstore-keyfile=b'],
    ['--proxy-client-cert-file=a', '--proxy-client-key-file=b'],
    ['--nodeagent-client-certificate=a', '--nodeagent-client-key=b'],
    ['--oidc-issuer-url=https://a', '--oidc-client-id=b'],
  ]
  for (const [one, other] of pairs) {
    test(`${one} ${other}`, () => {
      assert.deepEqual(conflicts(one, other), [])
      for (const alone of [one, other]) {
        const [message = ''] = conflicts(alone)
        assert.ok(message.includes(one.replace(/=.*/, '')) && message.includes(other.replace(/=.*/, '')), message)
      }
    })
  }
})

describe('flags that require another flag', () => {
  const rows: readonly (readonly [argv: readonly string[], needed: readonly string[], message: RegExp])[] = [
    [
      ['--service-account-signing-key-file=k'],
      ['--service-account-key-file=k'],
      /^--service-account-signing-key-file needs --service-account-key-file$/,
    ],
    [
      ['--encryption-provider-config-automatic-reload'],
      ['--encryption-provider-config=f'],
      /automatic-reload needs --encryption-provider-config$/,
    ],
    [
      ['--kvstore-servers-overrides=/events#http://a:1'],
      ['--kvstore-servers=http://a:1'],
      /^--kvstore-servers-overrides needs --kvstore-servers$/,
    ],
    [
      ['--oidc-groups-claim=g'],
      ['--oidc-issuer-url=https://a', '--oidc-client-id=b'],
      /must be set together when --oidc-groups-claim is set/,
    ],
    [
      ['--emulation-forward-compatible'],
      ['--emulated-version=1.35'],
      /^--emulation-forward-compatible may be true only when --emulated-version is lower/,
    ],
    [
      ['--runtime-config-emulation-forward-compatible'],
      ['--emulated-version=kube=v1.35'],
      /may be true only when --emulated-version is lower/,
    ],
    [
      ['--log-text-split-stream'],
      ['--feature-gates=LoggingAlphaOptions=true'],
      /^--log-text-split-stream needs --feature-gates=LoggingAlphaOptions=true$/,
    ],
    [
      ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'],
      ['--enable-priority-and-fairness=false'],
      /add up to something positive/,
    ],
    [
      ['--advertise-address=127.0.0.1', '--service-cluster-ip-range=fd00::/112'],
      ['--endpoint-reconciler-type=none'],
      /127.0.0.1 must be of the address family of --service-cluster-ip-range fd00::\/112/,
    ],
    [
      ['--runtime-config=api/all=false,apps/v1=true'],
      ['--enable-priority-and-fairness=false'],
      /--runtime-config=api\/all=false needs --enable-priority-and-fairness=false/,
    ],
    [
      ['--runtime-config=api/ga=false'],
      ['--runtime-config=flowcontrol.apiserver.k8s.io/v1=true'],
      /--runtime-config=api\/ga=false needs --enable-priority-and-fairness=false/,
    ],
    [['--platform-service-node-port=80'], ['--service-node-port-range=1-100'], /80 is outside of --service-node-port-range 30000-32767/],
    [['--requestheader-uid-headers=X-Uid'], ['--requestheader-uid-headers=x-remote-uid'], /must include the standard X-Remote-Uid header/],
    [
      ['--coordinated-leadership-lease-duration=9s'],
      ['--coordinated-leadership-renew-deadline=8s'],
      /lease-duration must be longer than .*renew-deadline/,
    ],
    [['--audit-webhook-batch-max-size=0'], ['--audit-webhook-mode=blocking'], /^--audit-webhook-batch-max-size: invalid value "0"/],
    [
      ['--audit-log-truncate-max-batch-size=1'],
      ['--audit-log-truncate-max-event-size=1'],
      /max-batch-size must not be smaller than --audit-log-truncate-max-event-size/,
    ],
  ]
  for (const [argv, needed, message] of rows) {
    test(argv.join(' '), () => {
      const found = conflicts(...argv)
      assert.equal(found.length, 1, found.join('; '))
      assert.match(found[0] ?? '', message)
      assert.deepEqual(conflicts(...argv, ...needed), [])
    })
  }
  test('configuration files without their authorization mode', () => {
    assert.match(conflicts('--authorization-policy-file=f')[0] ?? '', /^--authorization-policy-file needs --authorization-mode=ABAC$/)
    assert.match(conflicts('--authorization-webhook-config-file=f')[0] ?? '', /needs --authorization-mode=Webhook$/)
    assert.deepEqual(conflicts('--authorization-policy-file=f', '--authorization-mode=ABAC'), [])
    assert.deepEqual(conflicts('--authorization-policy-file=f', '--authorization-config=g'), [])
  })
  test('authorization modes without their configuration file', () => {
    assert.deepEqual(conflicts('--authorization-mode=ABAC,Webhook'), [
      '--authorization-mode ABAC needs --authorization-policy-file',
      '--authorization-mode Webhook needs --authorization-webhook-config-file',
    ])
  })
  test('flags of a gate that is enabled by default conflict once it is disabled', () => {
    assert.deepEqual(conflicts('--peer-advertise-ip=192.0.2.1'), [])
    assert.deepEqual(conflicts('--peer-ca-file=f', '--proxy-client-cert-file=c', '--proxy-client-key-file=k'), [])
    assert.deepEqual(conflicts('--peer-ca-file=f'), ['--peer-ca-file needs --proxy-client-cert-file'])
    assert.match(
      conflicts('--peer-ca-file=f', '--feature-gates=UnknownVersionInteroperabilityProxy=false')[0] ?? '',
      /^--peer-ca-file needs/,
    )
    assert.deepEqual(conflicts('--log-text-split-stream=false'), [])
  })
})

test('versions out of range', () => {
  assert.match(conflicts('--emulated-version=1.37')[0] ?? '', /^--emulated-version: invalid value "1.37"/)
  assert.deepEqual(conflicts('--show-hidden-metrics-for-version=1.35'), [])
})

test('messages name flags as spelled on the platform', () => {
  assert.deepEqual(flagConflicts(parseFlags(['--etcd-certfile=a'], 'kube-apiserver')), [
    '--etcd-certfile and --kvstore-keyfile must be set together',
  ])
})
