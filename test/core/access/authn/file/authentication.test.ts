import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authenticationConfiguration } from '../../../../../core/access/authn/file/authentication.ts'
import { parseFeatureGates } from '../../../../../core/config/feature-gates.ts'
import { loadFile } from '../../../../../core/config/files/load.ts'
import { authenticationFileConflicts } from '../../../../../core/flags/file-exclusions.ts'
import { parseFlags } from '../../../../../core/flags/parse.ts'
import { createPlatform } from '../../../../../core/platform.ts'

const platform = createPlatform()
const document = (content: object) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', ...content })
const load = (content: object, options = {}) => loadFile(authenticationConfiguration, document(content), 'f', platform, options)

const issuer = { url: 'https://a.example/x', audiences: ['me'] }
const mappings = { username: { claim: 'sub', prefix: '' } }
const jwt = (changes: object = {}) => ({ issuer, claimMappings: mappings, ...changes })
const withIssuer = (changes: object) => jwt({ issuer: { ...issuer, ...changes } })
const withMappings = (changes: object) => jwt({ claimMappings: { ...mappings, ...changes } })

function problems(content: object, options = {}): string {
  try {
    load(content, options)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return ''
}

test('a full file', () => {
  const file = load({
    jwt: [
      jwt({
        issuer: {
          ...issuer,
          discoveryURL: 'https://b.example/.well-known/openid-configuration',
          audiences: ['a', 'b'],
          audienceMatchPolicy: 'MatchAny',
        },
        claimValidationRules: [
          { claim: 'hd', requiredValue: 'x' },
          { expression: 'claims.?email_verified.orValue(true) == true', message: 'no' },
        ],
        claimMappings: {
          username: { expression: 'claims.email' },
          groups: { claim: 'groups', prefix: '' },
          uid: { claim: 'sub' },
          extra: [{ key: 'example.org/team', valueExpression: 'claims.team' }],
        },
        userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
      }),
    ],
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
  })
  assert.equal(file.jwt[0]?.claimMappings.groups.prefix, '')
  assert.equal(file.jwt[0]?.claimMappings.username.prefix, undefined)
  assert.equal(file.anonymous?.conditions[0]?.path, '/livez')
  assert.deepEqual(load({}).jwt, [])
})

const cases = (name: string, rows: readonly (readonly [content: object, message: RegExp])[]) =>
  describe(name, () => {
    for (const [content, message] of rows)
      test(JSON.stringify(content).slice(0, 140), () => assert.match(problems({ jwt: [content] }), message))
  })

cases('issuer', [
  [withIssuer({ url: '' }), /jwt\[0\]\.issuer\.url: Required value/],
  [withIssuer({ url: 'http://a' }), /URL scheme must be https/],
  [withIssuer({ url: 'nope' }), /issuer\.url: Invalid value: "nope": must be a URL/],
  [withIssuer({ url: 'https://u:p@a' }), /must not contain a username or password/],
  [withIssuer({ url: 'https://a?q' }), /must not contain a query/],
  [withIssuer({ url: 'https://a#f' }), /must not contain a fragment/],
  [withIssuer({ discoveryURL: 'https://a.example/x/' }), /issuer\.discoveryURL: .*discoveryURL must be different from URL/],
  [withIssuer({ discoveryURL: 'http://d' }), /issuer\.discoveryURL: .*URL scheme must be https/],
  [withIssuer({ audiences: [] }), /issuer\.audiences: Required value: at least one jwt\[0\]\.issuer\.audiences is required/],
  [withIssuer({ audiences: [''] }), /audiences\[0\]: Required value/],
  [withIssuer({ audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' }), /audiences\[1\]: Duplicate value: "a"/],
  [withIssuer({ audiences: ['a', 'b'] }), /audienceMatchPolicy must be MatchAny for multiple audiences/],
  [withIssuer({ audienceMatchPolicy: 'All' }), /audienceMatchPolicy must be empty or MatchAny for single audience/],
  [withIssuer({ certificateAuthority: 'x' }), /certificateAuthority: Invalid value: "<omitted>"/],
  [withIssuer({ egressSelectorType: 'x' }), /egress selector must be either controlplane or cluster/],
  [{ claimMappings: mappings }, /issuer\.url: Required value/],
  [withIssuer({ urls: 1 }), /unknown field "jwt\[0\]\.issuer\.urls"/],
])

cases('claims', [
  [withMappings({ username: {} }), /claimMappings\.username: Required value: claim or expression is required/],
  [withMappings({ username: { claim: 'a', expression: 'b' } }), /username: Invalid value: "": claim and expression can't both be set/],
  [withMappings({ username: { claim: 'a' } }), /username\.prefix: Required value: prefix is required when claim is set/],
  [withMappings({ username: { expression: 'claims.sub', prefix: '' } }), /username\.prefix: .*may not be specified when expression is set/],
  [withMappings({ groups: { claim: 'a' } }), /groups\.prefix: Required value/],
  [withMappings({ uid: { claim: 'a', expression: 'b' } }), /uid: .*can't both be set/],
  [withMappings({ extra: [{ key: 'a', valueExpression: 'b' }] }), /extra\[0\]\.key: .*must be a domain-prefixed path/],
  [withMappings({ extra: [{ key: 'example.org/A', valueExpression: 'b' }] }), /must be lowercase/],
  [withMappings({ extra: [{ key: 'x.k8s.io/a', valueExpression: 'b' }] }), /are reserved/],
  [withMappings({ extra: [{ key: 'x.org/a' }] }), /extra\[0\]\.valueExpression: Required value/],
  [withMappings({ extra: ['b', 'c'].map((valueExpression) => ({ key: 'x.org/a', valueExpression })) }), /extra\[1\]\.key: Duplicate value/],
  [withMappings({ username: { expression: 'claims.email' } }), /claims\.email_verified must be used/],
  [withMappings({ username: { expression: 'claims.?email.orValue("claims.email_verified")' } }), /claims\.email_verified must be used/],
  [jwt({ claimValidationRules: [{}] }), /claimValidationRules\[0\]: Required value: claim or expression is required/],
  [jwt({ claimValidationRules: [{ claim: 'a', expression: 'b' }] }), /claim and expression can't both be set/],
  [jwt({ claimValidationRules: [{ claim: 'a', message: 'b' }] }), /message: .*may not be specified when claim is set/],
  [
    jwt({ claimValidationRules: [{ expression: 'a', requiredValue: 'b' }] }),
    /requiredValue: .*may not be specified when expression is set/,
  ],
  [jwt({ claimValidationRules: [{ claim: 'a' }, { claim: 'a' }] }), /claimValidationRules\[1\]\.claim: Duplicate value/],
  [jwt({ userValidationRules: [{}] }), /userValidationRules\[0\]\.expression: Required value/],
  [jwt({ userValidationRules: [{ expression: 'a' }, { expression: 'a' }] }), /userValidationRules\[1\]\.expression: Duplicate value/],
])

test('email_verified may be checked in any of three places', () => {
  const email = { expression: 'claims.email' }
  const verified = 'claims.email_verified'
  for (const each of [
    withMappings({ username: { expression: `${verified} ? claims.email : claims.sub` } }),
    withMappings({ username: email, extra: [{ key: 'x.org/a', valueExpression: `string(${verified})` }] }),
    { ...withMappings({ username: email }), claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }] },
    withMappings({ username: { expression: 'claims.email_id' } }),
  ]) {
    assert.equal(problems({ jwt: [each] }), '')
  }
})

test('issuer and discovery URLs are unique, and not those of this server', () => {
  const discoveryURL = 'https://d'
  const found = problems({ jwt: [withIssuer({ discoveryURL }), withIssuer({ discoveryURL })] })
  assert.match(found, /jwt\[1\]\.issuer\.url: Duplicate value/)
  assert.match(found, /jwt\[1\]\.issuer\.discoveryURL: Duplicate value/)
  assert.equal(problems({ jwt: [jwt(), withIssuer({ url: 'https://b' })] }), '')
  assert.match(problems({ jwt: [jwt()] }, { ownIssuers: [issuer.url] }), /must not overlap with disallowed issuers/)
  assert.match(problems({ jwt: Array.from({ length: 65 }, (_, i) => withIssuer({ url: `https://a/${i}` })) }), /jwt: Too many: 65/)
})

test('egressSelectorType requires its gate', () => {
  const egress = { jwt: [withIssuer({ egressSelectorType: 'cluster' })] }
  assert.equal(problems(egress, { egress: ['cluster'] }), '')
  assert.match(problems(egress, { egress: ['controlplane'] }), /egressSelectorType: .*egress lookup for "cluster" is not configured/)
  assert.match(problems(egress), /egressSelectorType: .*needs --egress-selector-config-file/)
  const gates = parseFeatureGates(['StructuredAuthenticationConfigurationEgressSelector=false'], platform)
  assert.match(problems(egress, { gates }), /feature gate is disabled/)
})

test('anonymous conditions', () => {
  assert.match(
    problems({ anonymous: { enabled: false, conditions: [{ path: '/x' }] } }),
    /anonymous\.conditions: .*enabled should be set to true/,
  )
  assert.match(problems({ anonymous: { enabled: true, conditions: [{}] } }), /anonymous\.conditions\[0\]\.path: Required value/)
})

test('flags may not configure what the file configures', () => {
  const conflicts = (content: object, ...argv: string[]) => authenticationFileConflicts(parseFlags(argv, 'apiserver'), load(content))
  const anonymous = { anonymous: { enabled: true } }
  assert.deepEqual(conflicts({ jwt: [jwt()] }, '--oidc-issuer-url=https://a', '--anonymous-auth=false'), [
    '--authentication-config and --oidc-issuer-url are mutually exclusive when the file configures jwt',
  ])
  assert.deepEqual(conflicts(anonymous, '--oidc-issuer-url=https://a', '--oidc-client-id=b', '--anonymous-auth=false'), [
    '--authentication-config and --anonymous-auth are mutually exclusive when the file configures anonymous',
  ])
  assert.deepEqual(conflicts({ jwt: [jwt()], ...anonymous }), [])
})
