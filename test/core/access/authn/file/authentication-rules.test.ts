/** Each validation rule of an AuthenticationConfiguration, with a valid and an invalid file. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authenticationConfiguration } from '../../../../../core/access/authn/file/authentication.ts'
import { loadFile } from '../../../../../core/config/files/load.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import { issue, issueAuthority, newKey } from '../../../../../runtimes/node/pki/issue.ts'

const platform = createPlatform()
const ownIssuers = ['https://own.example']
const authority = issueAuthority('test', newKey(), Date.now())
const { certPem } = issue(authority, { commonName: 'x', names: ['x'] }, Date.now())

/** Errors of a file; empty if it loads. */
function problems(content: object): string {
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', ...content })
  try {
    loadFile(authenticationConfiguration, text, 'f', platform, { ownIssuers, egress: ['cluster', 'controlplane'] })
    return ''
  } catch (error) {
    assert.ok(error instanceof Error, 'an error')
    assert.equal(error.name, 'ConfigurationFileError')
    return error.message
  }
}

const issuer = { url: 'https://a.example', audiences: ['me'] }
const username = { claim: 'sub', prefix: '' }
const jwt = (changes: object = {}) => ({ jwt: [{ issuer, claimMappings: { username }, ...changes }] })
const withIssuer = (changes: object) => jwt({ issuer: { ...issuer, ...changes } })
const mapped = (changes: object) => jwt({ claimMappings: { username, ...changes } })
const extra = (...list: object[]) => mapped({ extra: list })
const value = (key: string, valueExpression = 'claims.sub') => ({ key, valueExpression })
const rules = (...claimValidationRules: object[]) => jwt({ claimValidationRules })
const userRules = (...userValidationRules: object[]) => jwt({ userValidationRules })
const many = (length: number) => ({
  jwt: Array.from({ length }, (_, i) => ({ ...jwt().jwt[0], issuer: { ...issuer, url: `https://a/${i}` } })),
})
const two = (one: object, other: object) => ({ jwt: [...withIssuer(one).jwt, ...withIssuer(other).jwt] })

type Row = readonly [rule: string, kept: object, broken: object, why: RegExp]

const rows: { readonly [about: string]: readonly Row[] } = {
  'the file': [
    ['at most 64 authenticators', many(64), many(65), /^f: jwt: Too many: 65: must have at most 64 items$/],
    ['the list of authenticators may be empty', { jwt: [] }, { jwt: {} }, /f: jwt: /],
    ['fields are known', {}, { jwts: [] }, /unknown field "jwts"/],
    [
      'issuers are unique',
      two({}, { url: 'https://b.example' }),
      two({}, {}),
      /jwt\[1\]\.issuer\.url: Duplicate value: "https:\/\/a\.example"/,
    ],
    [
      'discovery URLs are unique',
      two({ discoveryURL: 'https://d.example' }, { url: 'https://b.example', discoveryURL: 'https://e.example' }),
      two({ discoveryURL: 'https://d.example' }, { url: 'https://b.example', discoveryURL: 'https://d.example' }),
      /jwt\[1\]\.issuer\.discoveryURL: Duplicate value/,
    ],
    [
      'empty discovery URLs may repeat',
      two({ discoveryURL: '' }, { url: 'https://b.example', discoveryURL: '' }),
      two({ url: '' }, { url: '' }),
      /jwt\[0\]\.issuer\.url: Required value/,
    ],
  ],
  issuer: [
    ['the URL is required', jwt(), withIssuer({ url: '' }), /jwt\[0\]\.issuer\.url: Required value/],
    ['the URL is valid', jwt(), withIssuer({ url: ':' }), /url: Invalid value: ":": must be a URL/],
    ['the URL is https', jwt(), withIssuer({ url: 'http://a.example' }), /url: .*URL scheme must be https/],
    ['the URL has no credentials', jwt(), withIssuer({ url: 'https://u:p@a.example' }), /must not contain a username or password/],
    [
      'the URL has no query',
      withIssuer({ url: 'https://a.example/path' }),
      withIssuer({ url: 'https://a.example/?q=1' }),
      /must not contain a query/,
    ],
    ['the URL has no fragment', jwt(), withIssuer({ url: 'https://a.example/#f' }), /must not contain a fragment/],
    [
      'the URL is not that of this server',
      jwt(),
      withIssuer({ url: 'https://own.example' }),
      /URL must not overlap with disallowed issuers: \[https:\/\/own\.example\]/,
    ],
    [
      'discoveryURL differs from the URL',
      withIssuer({ discoveryURL: 'https://a.example/other' }),
      withIssuer({ discoveryURL: 'https://a.example//' }),
      /discoveryURL must be different from URL/,
    ],
    [
      'discoveryURL is https',
      withIssuer({ discoveryURL: 'https://own.example' }),
      withIssuer({ discoveryURL: 'http://d' }),
      /discoveryURL: .*must be https/,
    ],
    [
      'certificateAuthority contains certificates',
      withIssuer({ certificateAuthority: certPem }),
      withIssuer({ certificateAuthority: 'PEM' }),
      /<omitted>/,
    ],
    [
      'at least one audience',
      jwt(),
      withIssuer({ audiences: [] }),
      /audiences: Required value: at least one jwt\[0\]\.issuer\.audiences is required/,
    ],
    ['no empty audience', jwt(), withIssuer({ audiences: [''] }), /audiences\[0\]: Required value/],
    [
      'audiences are unique',
      withIssuer({ audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' }),
      withIssuer({ audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' }),
      /audiences\[1\]: Duplicate value: "a"/,
    ],
    [
      'several audiences require a policy',
      withIssuer({ audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' }),
      withIssuer({ audiences: ['a', 'b'] }),
      /audienceMatchPolicy must be MatchAny for multiple audiences/,
    ],
    [
      'audienceMatchPolicy is valid',
      withIssuer({ audienceMatchPolicy: 'MatchAny' }),
      withIssuer({ audienceMatchPolicy: 'MatchAll' }),
      /must be empty or MatchAny for single audience/,
    ],
    [
      'egressSelectorType is valid',
      withIssuer({ egressSelectorType: 'controlplane' }),
      withIssuer({ egressSelectorType: 'etcd' }),
      /either controlplane or cluster/,
    ],
  ],
  claimValidationRules: [
    ['claim or expression', rules({ claim: 'a', requiredValue: 'b' }), rules({}), /\[0\]: Required value: claim or expression is required/],
    [
      'not both',
      rules({ expression: 'true' }),
      rules({ claim: 'a', expression: 'true' }),
      /\[0\]: Invalid value: "a": claim and expression can't/,
    ],
    [
      'requiredClaim has no message',
      rules({ claim: 'a' }),
      rules({ claim: 'a', message: 'm' }),
      /message: .*may not be specified when claim is set/,
    ],
    [
      'an expression has no requiredValue',
      rules({ expression: 'true', message: 'm' }),
      rules({ expression: 'true', requiredValue: 'b' }),
      /requiredValue: .*may not be specified when expression is set/,
    ],
    [
      'claims are unique',
      rules({ claim: 'a' }, { claim: 'b' }),
      rules({ claim: 'a' }, { claim: 'a' }),
      /\[1\]\.claim: Duplicate value: "a"/,
    ],
    [
      'expressions are unique',
      rules({ expression: 'true' }, { expression: '!false' }),
      rules({ expression: 'true' }, { expression: 'true' }),
      /\[1\]\.expression: Duplicate value: "true"/,
    ],
    [
      'an expression',
      rules({ expression: 'claims.a == 1' }),
      rules({ expression: 'claims.a ==' }),
      /\[0\]\.expression: Invalid value: .*compilation failed/,
    ],
    ['that is a bool', rules({ expression: 'claims.a == true' }), rules({ expression: 'claims.a' }), /must evaluate to bool but got dyn/],
    [
      'over known variables',
      rules({ expression: 'has(claims.a)' }),
      rules({ expression: 'user.username == ""' }),
      /compilation failed: .*undeclared reference to 'user'/,
    ],
    [
      'that fits its types',
      rules({ expression: 'size(claims) > 1' }),
      rules({ expression: '1 + "a" == 2' }),
      /compilation failed: .*found no matching overload/,
    ],
    [
      'valid regular expressions',
      rules({ expression: "claims.a.matches('x')" }),
      rules({ expression: "claims.a.matches('(')" }),
      /invalid matches argument/,
    ],
  ],
  'claimMappings.username': [
    ['claim or expression', jwt(), mapped({ username: {} }), /claimMappings\.username: Required value: claim or expression is required/],
    [
      'not both',
      mapped({ username: { expression: 'claims.sub' } }),
      mapped({ username: { claim: 'a', prefix: '', expression: 'claims.sub' } }),
      /username: Invalid value: "": claim and expression can't both be set/,
    ],
    [
      'a claim requires a prefix',
      jwt(),
      mapped({ username: { claim: 'a' } }),
      /username\.prefix: Required value: prefix is required when claim is set/,
    ],
    [
      'an expression has no prefix',
      mapped({ username: { expression: 'claims.sub' } }),
      mapped({ username: { expression: 'claims.sub', prefix: '' } }),
      /username\.prefix: Invalid value: "": may not be specified when expression is set/,
    ],
    [
      'an expression',
      mapped({ username: { expression: 'claims.sub' } }),
      mapped({ username: { expression: 'sub' } }),
      /username\.expression: .*undeclared reference/,
    ],
    [
      'an address is verified',
      mapped({ username: { expression: 'claims.email_verified ? claims.email : claims.sub' } }),
      mapped({ username: { expression: 'claims.email' } }),
      /username\.expression: .*claims\.email_verified must be used/,
    ],
    [
      'also where it is optional',
      mapped({ username: { expression: "claims.?email_verified.orValue(false) ? claims.?email.orValue('') : ''" } }),
      mapped({ username: { expression: "claims.?email.orValue('x')" } }),
      /claims\.email_verified must be used/,
    ],
    [
      'in a rule',
      {
        jwt: [
          {
            ...mapped({ username: { expression: 'claims.email' } }).jwt[0],
            claimValidationRules: [{ expression: 'claims.email_verified == true' }],
          },
        ],
      },
      {
        jwt: [
          {
            ...mapped({ username: { expression: 'claims.email' } }).jwt[0],
            claimValidationRules: [{ expression: 'claims.other == true' }],
          },
        ],
      },
      /claims\.email_verified must be used/,
    ],
    [
      'or in an extra attribute',
      mapped({ username: { expression: 'claims.email' }, extra: [value('x.org/a', 'string(claims.email_verified)')] }),
      mapped({ username: { expression: 'claims.email' }, groups: { expression: 'string(claims.email_verified)' } }),
      /claims\.email_verified must be used/,
    ],
    [
      'in an argument',
      mapped({ username: { expression: "['claims.email'].map(s, s + claims.sub)[0]" } }),
      mapped({ username: { expression: '[claims.sub].map(s, s + claims.email)[0]' } }),
      /claims\.email_verified must be used/,
    ],
  ],
  'claimMappings.groups': [
    ['none needed', jwt(), mapped({ groups: { claim: 'a' } }), /groups\.prefix: Required value/],
    [
      'not both',
      mapped({ groups: { claim: 'g', prefix: 'x' } }),
      mapped({ groups: { claim: 'a', prefix: '', expression: 'b' } }),
      /groups: Invalid value: "": claim and expression can't both be set/,
    ],
    [
      'an expression has no prefix',
      mapped({ groups: { expression: 'claims.g' } }),
      mapped({ groups: { expression: 'claims.g', prefix: 'x' } }),
      /groups\.prefix: .*may not be specified/,
    ],
    [
      'an expression',
      mapped({ groups: { expression: '[claims.g]' } }),
      mapped({ groups: { expression: '[claims.g' } }),
      /groups\.expression: .*compilation failed/,
    ],
  ],
  'claimMappings.uid': [
    [
      'not both',
      mapped({ uid: { claim: 'a' } }),
      mapped({ uid: { claim: 'a', expression: 'claims.a' } }),
      /uid: Invalid value: "": claim and expression/,
    ],
    [
      'an expression',
      mapped({ uid: { expression: 'claims.a' } }),
      mapped({ uid: { expression: 'claims.a.b(' } }),
      /uid\.expression: .*compilation failed/,
    ],
  ],
  'claimMappings.extra': [
    ['a key', extra(value('x.org/a')), extra(value('')), /extra\[0\]\.key: Required value/],
    ['with a domain', extra(value('x.org/a/b')), extra(value('a')), /extra\[0\]\.key: .*must be a domain-prefixed path/],
    ['in lower case', extra(value('x.org/a')), extra(value('x.org/A')), /extra\[0\]\.key: .*must be lowercase/],
    ['not of this API', extra(value('notk8s.io/a')), extra(value('k8s.io/a')), /are reserved/],
    ['nor below it', extra(value('kubernetes.io.x.org/a')), extra(value('x.kubernetes.io/a')), /are reserved/],
    [
      'different keys',
      extra(value('x.org/a'), value('x.org/b')),
      extra(value('x.org/a'), value('x.org/a')),
      /extra\[1\]\.key: Duplicate value: "x\.org\/a"/,
    ],
    ['a value', extra(value('x.org/a')), extra(value('x.org/a', '')), /extra\[0\]\.valueExpression: Required value/],
    [
      'that is an expression',
      extra(value('x.org/a', "'x'")),
      extra(value('x.org/a', 'x')),
      /extra\[0\]\.valueExpression: .*undeclared reference/,
    ],
  ],
  userValidationRules: [
    [
      'an expression',
      userRules({ expression: "user.username != ''" }),
      userRules({ message: 'm' }),
      /userValidationRules\[0\]\.expression: Required value/,
    ],
    [
      'different ones',
      userRules({ expression: 'true' }, { expression: '!false' }),
      userRules({ expression: 'true' }, { expression: 'true' }),
      /userValidationRules\[1\]\.expression: Duplicate value/,
    ],
    [
      'bools',
      userRules({ expression: "'a' in user.groups" }),
      userRules({ expression: 'user.username' }),
      /must evaluate to bool but got string/,
    ],
    [
      'of known fields',
      userRules({ expression: "user.uid == ''" }),
      userRules({ expression: "user.name == ''" }),
      /compilation failed: .*undefined field 'name'/,
    ],
    [
      'of their types',
      userRules({ expression: "user.extra['a'][0] == ''" }),
      userRules({ expression: 'user.groups == 1' }),
      /compilation failed: .*found no matching overload/,
    ],
    [
      'over the user',
      userRules({ expression: 'size(user.extra) == 0' }),
      userRules({ expression: "claims.sub == ''" }),
      /undeclared reference to 'claims'/,
    ],
  ],
  anonymous: [
    [
      'conditions require anonymous to be enabled',
      { anonymous: { enabled: true, conditions: [{ path: '/a' }] } },
      { anonymous: { conditions: [{ path: '/a' }] } },
      /enabled should be set to true/,
    ],
    [
      'a path',
      { anonymous: { enabled: false } },
      { anonymous: { enabled: true, conditions: [{}] } },
      /anonymous\.conditions\[0\]\.path: Required value/,
    ],
  ],
}

for (const [about, list] of Object.entries(rows)) {
  describe(about, () => {
    for (const [rule, kept, broken, why] of list) {
      test(rule, () => {
        assert.equal(problems(kept), '', 'kept')
        assert.match(problems(broken), why, 'broken')
      })
    }
  })
}

test('all errors are reported at once, each with its path', () => {
  const found = problems({
    jwt: [
      { issuer: { url: 'http://a' }, claimMappings: { username: { expression: 'a' } }, claimValidationRules: [{ expression: '1' }] },
      { issuer, claimMappings: { username, extra: [value('a')] }, userValidationRules: [{ expression: 'b' }] },
    ],
    anonymous: { conditions: [{ path: '' }] },
  })
  const places = [...found.matchAll(/f: ([\w.[\]]+): /g)].map((match) => match[1])
  assert.deepEqual(places, [
    'jwt[0].issuer.url',
    'jwt[0].issuer.audiences',
    'jwt[0].claimValidationRules[0].expression',
    'jwt[0].claimMappings.username.expression',
    'jwt[1].claimMappings.extra[0].key',
    'jwt[1].userValidationRules[0].expression',
    'anonymous.conditions',
    'anonymous.conditions[0].path',
  ])
})

test('functions and macros used in files of other servers', () => {
  const expressions = [
    'claims.roles.all(i, role, i >= 0 && role != "")',
    'claims.roles.exists(i, role, i == 0 || role == "a")',
    'claims.roles.existsOne(i, role, role == "a")',
    'claims.roles.transformList(i, role, role + string(i)).size() > 0',
    'claims.map.transformMap(k, v, k + v).size() > 0',
    'claims.map.transformMapEntry(k, v, {v: k}).size() > 0',
    'claims.?tier.optMap(t, t + "!").orValue("") != ""',
    'claims.?tier.optFlatMap(t, optional.ofNonZeroValue(t)).hasValue()',
    'strings.quote(claims.sub) != ""',
    'lists.range(3).size() == 3',
    'claims.roles.sortBy(r, size(r)).size() > 0',
    'ip.isCanonical(claims.address)',
  ]
  assert.equal(problems(rules(...expressions.map((expression) => ({ expression })))), '')
})
