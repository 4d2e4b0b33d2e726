import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { FlagError } from '../../../core/flags/flag.ts'
import { parseFlags } from '../../../core/flags/parse.ts'
import { type FlagName, flags } from '../../../core/flags/rows/index.ts'
import fc from '../../support/fast-check.ts'
import { root } from '../../support/root.ts'

const parse = (...argv: string[]) => parseFlags(argv, 'apiserver')

function error(...argv: string[]): string {
  try {
    parse(...argv)
  } catch (thrown) {
    assert.ok(thrown instanceof FlagError, String(thrown))
    assert.ok(!thrown.message.includes('\n'))
    return thrown.message
  }
  assert.fail(`no error for ${argv.join(' ')}`)
}

describe('spelling', () => {
  test('values after = or as the next argument', () => {
    assert.equal(parse('--secure-port=7000').get('secure-port'), 7000)
    assert.equal(parse('--secure-port', '7000').get('secure-port'), 7000)
  })
  test('a bool takes no next argument', () => {
    assert.equal(parse('--permit-address-sharing').get('permit-address-sharing'), true)
    assert.equal(parse('--watch-cache=false').get('watch-cache'), false)
    assert.equal(parse('--watch-cache=F').get('watch-cache'), false)
    assert.match(error('--watch-cache', 'false'), /unexpected argument "false"/)
  })
  test('values that start with a dash or look like numbers are kept', () => {
    assert.equal(parse('--oidc-username-prefix=-').get('oidc-username-prefix'), '-')
    assert.equal(parse('--oidc-username-prefix', '--x').get('oidc-username-prefix'), '--x')
    assert.equal(parse('--data-dir=010').get('data-dir'), '010')
    assert.equal(parse('--data-dir=1e3').get('data-dir'), '1e3')
    assert.equal(parse('--data-dir=').get('data-dir'), '')
    assert.equal(parse('--data-dir', '--watch-cache=false').get('data-dir'), '--watch-cache=false')
    assert.equal(parse('--data-dir=a=b').get('data-dir'), 'a=b')
    assert.equal(parse('--data-dir', '--').get('data-dir'), '--')
  })
  test('servers of the store may be Unix sockets', () => {
    assert.deepEqual(parse('--kvstore-servers=unix:///run/etcd.sock').get('kvstore-servers'), ['unix:///run/etcd.sock'])
  })
  test('underscores are equivalent to dashes', () => assert.equal(parse('--secure_port=7000').get('secure-port'), 7000))
  test('a later flag takes precedence, also over an invalid default', () => {
    assert.equal(parse('--secure-port=1', '--secure-port=2').get('secure-port'), 2)
  })
  test('every occurrence is validated, not only the last', () => {
    assert.match(error('--secure-port=x', '--secure-port=2'), /^--secure-port: invalid value "x"/)
  })
  test('verbosity in all its forms', () => {
    for (const argv of [['-v=4'], ['-v', '4'], ['-v4'], ['--v=4'], ['--v', '4']]) assert.equal(parse(...argv).get('v'), 4, argv.join(' '))
    assert.equal(parse().get('v'), 0)
  })
  test('help and version', () => {
    assert.equal(parse('-h').get('help'), true)
    assert.equal(parse('--help').get('help'), true)
    assert.equal(parse('-hv3').get('v'), 3)
    assert.equal(parse().get('version'), undefined)
    assert.equal(parse('--version').get('version'), 'true')
    assert.equal(parse('--version=raw').get('version'), 'raw')
    assert.equal(parse('--version=v1.36.2-rc.1+x').get('version'), 'v1.36.2-rc.1+x')
    assert.match(error('--version=1.36'), /^--version: invalid value "1.36"/)
  })
  test('-- ends the flags', () => {
    assert.equal(parse('--secure-port=1', '--').get('secure-port'), 1)
    assert.match(error('--', '--secure-port=1'), /unexpected argument "--secure-port=1"/)
  })
})

describe('mistakes', () => {
  test('unknown flags, with a suggestion', () => {
    assert.equal(error('--secure-prt=1'), 'unknown flag: --secure-prt (did you mean --secure-port?)')
    assert.equal(error('--no-watch-cache'), 'unknown flag: --no-watch-cache (did you mean --watch-cache?)')
    assert.equal(error('--completely-unlike-anything'), 'unknown flag: --completely-unlike-anything')
    assert.match(error('-x'), /^unknown shorthand flag: "x" in -x$/)
  })
  test('names in Object.prototype are no flags', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'a.b']) assert.match(error(`--${name}=1`), /^unknown flag/)
  })
  test('positional arguments are refused', () => {
    for (const argument of ['serve', '-', '']) assert.match(error(argument), /unexpected argument/)
    assert.match(error('---x'), /bad flag syntax/)
    assert.match(error('--=x'), /bad flag syntax/)
  })
  test('missing values', () => {
    assert.equal(error('--secure-port'), 'flag needs an argument: --secure-port')
    assert.match(error('-v'), /flag needs an argument: -v/)
  })
  const malformed: readonly (readonly [flag: FlagName, text: string, reason: string])[] = [
    ['secure-port', 'x', 'must be an integer'],
    ['secure-port', '1.5', 'must be an integer'],
    ['secure-port', '', 'must be an integer'],
    ['secure-port', '99999999999999999999', 'is out of range'],
    ['secure-port', '0', 'must be between 1 and 65535'],
    ['max-requests-inflight', '-1', 'must not be negative'],
    ['goaway-chance', 'often', 'must be a number'],
    ['goaway-chance', '0.03', 'must be between 0 and 0.02'],
    ['request-timeout', '60', 'must be a duration such as 1m0s'],
    ['request-timeout', '-1s', 'must not be negative'],
    ['service-account-max-token-expiration', '1m', 'must be between 1h0m0s and 1193046h28m16s'],
    ['watch-cache', 'yes', 'must be true or false'],
    ['log-text-info-buffer-size', 'many', 'must be a quantity of bytes such as 64Ki'],
    ['endpoint-reconciler-type', 'x', 'must be one of lease, master-count, none'],
    ['tls-min-version', 'TLS12', 'must be one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13'],
    ['bind-address', 'localhost', 'must be an IP address'],
    ['service-cluster-ip-range', '10.0.0.0', 'must be one or two CIDRs such as 10.0.0.0/24'],
    ['service-cluster-ip-range', '10.0.0.0/30', 'is too small: must be at least 8 IP addresses'],
    ['service-cluster-ip-range', '10.0.0.0/1', 'is too large: the prefix must be at least /2'],
    ['service-cluster-ip-range', '10.0.0.0/24,10.1.0.0/24', 'must be of different IP families'],
    ['service-cluster-ip-range', '10.0.0.0/24,fd00::/112,10.1.0.0/24', 'must not contain more than two CIDRs'],
    ...['x', '1-', '-5', '+5', '30000 - 30010', '0x7530', '30_000', '30000-30010-1', '1+-1', '+1-2', '1e4'].map(
      (range) => ['service-node-port-range', range, 'must be a range such as 30000-32767'] as const,
    ),
    ...['65535+1', '65536', '10+65526', '1-99999999999999999999'].map(
      (range) => ['service-node-port-range', range, 'must be between 1 and 65535'] as const,
    ),
    ['service-node-port-range', '3-2', 'must not end before it starts'],
    ['tls-sni-cert-key', 'a.crt', 'must be certificate,key[:name,…]'],
    ['cors-allowed-origins', 'example.com', 'must pin the start of the host with ^ or // and its end with $ or :'],
    ['strict-transport-security-directives', 'age=1', 'must be max-age=seconds, includeSubDomains or preload (RFC 6797)'],
    ['authorization-mode', 'rbac', 'must be one of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node'],
    ['authorization-mode', 'RBAC,Node,RBAC', 'has a mode more than once'],
    ['enable-admission-plugins', 'Nope', 'is not an admission plugin'],
    ['kvstore-servers', '127.0.0.1:2379', 'must be scheme://host:port'],
    ['kvstore-servers-overrides', 'pods#http://a:1', 'must be group/resource#url;url'],
    ['watch-cache-sizes', 'pods', 'must be resource[.group]#size'],
    ['oidc-required-claim', 'x', 'must be key=value'],
    ['oidc-issuer-url', 'http://a', 'must be an https URL'],
    ['oidc-signing-algs', 'HS256', 'must be one of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512'],
    ['service-account-issuer', 'a:b c', 'must be a valid URI when it contains a colon'],
    ['show-hidden-metrics-for-version', '1.34', "must be omitted or have the value '1.35'; only the previous minor version is allowed"],
    ['disabled-metrics', 'x y', 'must be fully qualified metric names matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got "x y"'],
    [
      'allow-metric-labels',
      'x=a',
      'must have keys with format `metricName,labelName` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"',
    ],
    ['audit-log-version', 'audit/v2', 'must be audit.k8s.io/v1'],
    ['storage-media-type', 'text/plain', 'must be one of application/json, application/yaml, application/vnd.platform.protobuf'],
    ['platform-domain', 'UPPER', 'must be a DNS domain'],
    ['disabled-metrics', 'a"b', 'line 1: bare " in non-quoted field'],
    ['disabled-metrics', '"a', 'line 1: extraneous or missing " in quoted-field'],
  ]
  for (const [flag, text, reason] of malformed) {
    test(`--${flag}=${text}`, () => assert.equal(error(`--${flag}=${text}`), `--${flag}: invalid value ${JSON.stringify(text)}: ${reason}`))
  }
})

describe('values', () => {
  test('integers in the notations of Go', () => {
    for (const [text, value] of [
      ['0x10', 16],
      ['0o17', 15],
      ['017', 15],
      ['0b101', 5],
      ['+7', 7],
      ['1_0', undefined],
    ] as const) {
      if (value === undefined) assert.match(error(`--v=${text}`), /must be an integer/)
      else assert.equal(parse(`--v=${text}`).get('v'), value)
    }
  })
  test('durations are in milliseconds', () => {
    assert.equal(parse('--request-timeout=1m0s').get('request-timeout'), 60_000)
    assert.equal(parse('--request-timeout=300ms').get('request-timeout'), 300)
    assert.equal(parse('--request-timeout=1h').get('request-timeout'), 3_600_000)
    assert.equal(parse('--request-timeout=0').get('request-timeout'), 0)
  })
  test('lists accumulate and may be quoted', () => {
    const flags = parse('--requestheader-allowed-names=a,b', '--requestheader-allowed-names', '"c,d",e')
    assert.deepEqual(flags.get('requestheader-allowed-names'), ['a', 'b', 'c,d', 'e'])
    assert.deepEqual(parse('--api-audiences=').get('api-audiences'), [])
    assert.deepEqual(parse('--service-account-key-file=a,b', '--service-account-key-file=c').get('service-account-key-file'), ['a,b', 'c'])
  })
  test('maps', () => {
    const flags = parse('--runtime-config=api/all=true,apps/v1', '--runtime-config=api/all=false')
    assert.deepEqual(
      [...flags.get('runtime-config')],
      [
        ['api/all', 'false'],
        ['apps/v1', 'true'],
      ],
    )
    assert.deepEqual([...parse('--oidc-required-claim=a=b,c=d').get('oidc-required-claim')], [['a', 'b,c=d']])
    assert.deepEqual([...parse('--allow-metric-labels=m,l=a,b').get('allow-metric-labels')], [['m,l', 'a,b']])
    assert.deepEqual(
      [...parse('--allow-metric-labels="m,l=a,b","n,k=c"').get('allow-metric-labels')],
      [
        ['m,l', 'a,b'],
        ['n,k', 'c'],
      ],
    )
    assert.deepEqual([...parse('--runtime-config=__proto__=true').get('runtime-config')], [['__proto__', 'true']])
  })
  test('structures', () => {
    assert.deepEqual(parse('--service-node-port-range=1-65535').get('service-node-port-range'), { from: 1, to: 65535 })
    const ranges = [
      ['30000', 30000, 30000],
      ['30000+10', 30000, 30010],
      ['30000+0', 30000, 30000],
      [' 030000-030010 ', 30000, 30010],
      ['10+65525', 10, 65535],
      ['', 30000, 32767],
    ] as const
    for (const [range, from, to] of ranges)
      assert.deepEqual(parse(`--service-node-port-range=${range}`).get('service-node-port-range'), { from, to }, range)
    assert.deepEqual(parse('--service-cluster-ip-range=10.0.0.0/8,fd00::/48').get('service-cluster-ip-range'), ['10.0.0.0/8', 'fd00::/48'])
    assert.deepEqual(parse('--service-cluster-ip-range=10.0.0.0/24,fd00::/64').get('service-cluster-ip-range'), [
      '10.0.0.0/24',
      'fd00::/64',
    ])
    assert.deepEqual(parse('--tls-sni-cert-key=a.crt,a.key:*.x.org,::1', '--tls-sni-cert-key=b.crt,b.key').get('tls-sni-cert-key'), [
      { certificate: 'a.crt', key: 'a.key', names: ['*.x.org', '::1'] },
      { certificate: 'b.crt', key: 'b.key', names: [] },
    ])
    assert.equal(parse('--log-text-info-buffer-size=2Ki').get('log-text-info-buffer-size'), 2048)
    assert.equal(parse('--log-text-info-buffer-size=1K').get('log-text-info-buffer-size'), 1000)
  })
  test('defaults, and those that depend on other flags', () => {
    const flags = parse()
    assert.equal(flags.isSet('secure-port'), false)
    assert.equal(flags.get('secure-port'), 6443)
    assert.equal(flags.get('tls-cert-file'), undefined)
    assert.deepEqual(flags.get('authorization-mode'), ['AlwaysAllow'])
    assert.deepEqual(flags.get('controllers'), ['*'])
    assert.deepEqual(parse('--kvstore-servers=http://a:1').get('controllers'), [])
    assert.deepEqual(parse('--authorization-config=x').get('authorization-mode'), [])
    assert.deepEqual(parse('--service-account-issuer=https://a', '--service-account-issuer=b').get('api-audiences'), ['https://a', 'b'])
    assert.equal(parse('--secure-port=6443').isSet('secure-port'), true)
  })
})

describe('platform', () => {
  test('the platform follows from the program name, a flag, or the domain', () => {
    assert.equal(parse().platform.service, 'platform')
    assert.equal(parseFlags([], '/usr/local/bin/kube-apiserver').platform.service, 'kubernetes')
    assert.equal(parseFlags([], 'C:\\bin\\kube-apiserver.exe').get('platform'), 'kubernetes')
    assert.equal(parseFlags(['--platform=platform'], 'kube-apiserver').platform.service, 'platform')
    const flags = parse('--platform', 'kubernetes', '--platform-domain=example.org')
    assert.equal(flags.platform.domain, 'example.org')
    assert.equal(flags.get('cert-dir'), '/var/run/kubernetes')
    assert.equal(flags.get('audit-log-version'), 'audit.example.org/v1')
    assert.equal(parse('--platform-domain=example.org').get('platform-domain'), 'example.org')
  })
  test('a platform has its own flag names, wherever --platform stands', () => {
    const flags = parse('--etcd-servers=http://a:1', '--kvstore-servers=http://b:1', '--kubelet-timeout=1s', '--platform=kubernetes')
    assert.deepEqual(flags.get('kvstore-servers'), ['http://a:1', 'http://b:1'])
    assert.equal(flags.get('nodeagent-timeout'), 1000)
    assert.equal(parseFlags(['--kubernetes-service-node-port=30001'], 'kube-apiserver').get('platform-service-node-port'), 30001)
    assert.equal(parseFlags(['--storage-backend=etcd3'], 'kube-apiserver').get('storage-backend'), 'kvstore3')
    assert.equal(
      error('--etcd-servers=http://a:1'),
      'unknown flag: --etcd-servers (only with --platform=kubernetes; with any platform it is --kvstore-servers)',
    )
    assert.equal(error('--etcd-serverss=http://a:1'), 'unknown flag: --etcd-serverss (did you mean --etcd-servers?)')
    assert.throws(() => parseFlags(['--etcd-servers=x'], 'kube-apiserver'), /^FlagError: --etcd-servers: invalid value "x"/)
  })
  test('npm start has the names of Kubernetes, the program the neutral ones', () => {
    const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
    const [, argv = ''] = scripts.start.split('bin.js ')
    assert.equal(parseFlags(argv.split(' '), 'bin.js').platform.namespaces.system, 'kube-system')
    assert.equal(parseFlags([...argv.split(' '), '--platform=platform'], 'bin.js').platform.namespaces.system, 'platform-system')
    assert.equal(parseFlags([], 'bin.js').platform.namespaces.system, 'platform-system')
  })
  test('both protobuf media types mean the same', () => {
    assert.equal(
      parse('--storage-media-type=application/vnd.kubernetes.protobuf').get('storage-media-type'),
      'application/vnd.platform.protobuf',
    )
  })
})

describe('warnings', () => {
  test('effective flags do not warn, deprecated ones do', () => {
    assert.deepEqual(parse('--secure-port=1', '-v4', '--runtime-config=api/all=true').warnings, [])
    assert.match(parse('--admission-control=AlwaysAdmit').warnings[0] ?? '', /^--admission-control is deprecated/)
  })
})

test('any command line either parses or throws a FlagError', () => {
  const name = fc.constantFrom(...Object.keys(flags), 'etcd-servers', '__proto__', 'x.y', 'no-x')
  const word = fc.oneof(fc.string(), fc.constantFrom('true', '-1', '1s', 'a=b', '"', '', '0x', '1-2', 'a,b:c', '::', '10.0.0.0/8'))
  const argument = fc.oneof(
    fc.tuple(name, word).map(([flag, text]) => `--${flag}=${text}`),
    name.map((flag) => `--${flag}`),
    word,
    fc.string().map((text) => `-${text}`),
  )
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 6 }), fc.constantFrom('apiserver', 'kube-apiserver'), (argv, program) => {
      try {
        const parsed = parseFlags(argv, program)
        for (const each of Object.keys(flags)) parsed.get(each as FlagName)
      } catch (thrown) {
        assert.ok(thrown instanceof FlagError, String(thrown))
        assert.ok(!/[\r\n]/.test(thrown.message), JSON.stringify(thrown.message))
      }
    }),
    { numRuns: 500 },
  )
})

test('string flags keep their exact value', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(parse(`--external-hostname=${text}`).get('external-hostname'), text)
      assert.equal(parse('--external-hostname', text).get('external-hostname'), text)
    }),
    { numRuns: 200 },
  )
})
