/** Authentication from file and flags, in process: which configuration is in use as files change and issuers come and go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthenticationError } from '../../../../core/access/authn/authenticator.ts'
import { type AuthenticationSettings, createAuthentication, type OidcIssuer } from '../../../../core/access/authn/configured.ts'
import { configuredAuthentication } from '../../../../core/access/authn/file/authenticators.ts'
import { authenticationFileRows, issuerReports, jwtRows } from '../../../../core/access/authn/jwt/metrics.ts'
import { parseFeatureGates } from '../../../../core/config/feature-gates.ts'
import { reloadReports } from '../../../../core/config/reload-metrics.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { quiet } from '../../../support/quiet.ts'
import { eventually } from '../../../support/wait.ts'
import { clock, createWeb, issuerKey, issuerUrl, keepLog, publish, settings, sign, type Web } from './jwt/jwt-issuer.ts'

const platform = createPlatform()
const key = await issuerKey('ES256', 'one')
const path = 'authentication.yaml'
const second = 'https://second.example'

const entry = (prefix: string, url = issuerUrl) => ({
  issuer: { url, audiences: ['me'] },
  claimMappings: { username: { claim: 'sub', prefix } },
})
const file = (content: object) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', ...content })

/** A file that the test changes. */
function oneFile(first: string) {
  let text = first
  let changed = () => {}
  return {
    set(next: string) {
      text = next
      changed()
    },
    port: {
      read: async () => new TextEncoder().encode(text),
      watch(_: string, callback: () => void) {
        changed = callback
        return () => {
          changed = () => {}
        }
      },
    },
  }
}

async function start(web: Web, given: AuthenticationSettings, text = '', anonymous = true) {
  const onDisk = oneFile(text)
  const registry = createMetrics()
  const { logger, lines } = keepLog()
  const authentication = await createAuthentication({
    settings: given,
    anonymous,
    ownIssuers: ['https://own.example'],
    gates: parseFeatureGates([], platform),
    platform,
    ports: { clock, files: onDisk.port, outbound: { ...web, call: () => Promise.reject(new Error('no')) }, telemetry: { logger } },
    reports: issuerReports(registry.record(jwtRows), clock, ''),
    reloads: reloadReports(registry.record(authenticationFileRows), clock, ''),
    configured: () => configuredAuthentication,
  })
  await quiet()
  const name = async (token: string) => {
    try {
      return (await authentication.tokens?.authenticateToken(token, undefined, undefined))?.user.name
    } catch (error) {
      if (error instanceof AuthenticationError) return error.message
      throw error
    }
  }
  return { authentication, onDisk, lines, name, text: () => registry.text() }
}

const oidc = (changes: Partial<OidcIssuer> = {}): OidcIssuer => {
  const { issuer, claimMappings } = settings()
  return {
    ...settings(),
    claimValidationRules: [],
    userValidationRules: [],
    issuer: { ...issuer, audiences: ['me'], audienceMatchPolicy: '', egressSelectorType: '' },
    claimMappings: {
      username: { ...claimMappings.username, prefix: 'flag:' },
      groups: { ...claimMappings.groups, prefix: '' },
      uid: { claim: '', expression: '' },
      extra: [],
    },
    algorithms: ['ES256'],
    ...changes,
  }
}

test('without configuration: no tokens, and anonymous by flag', async () => {
  const web = createWeb()
  assert.equal((await start(web, {})).authentication.tokens, undefined)
  assert.ok((await start(web, {})).authentication.anonymous, 'anybody')
  assert.equal((await start(web, {}, '', false)).authentication.anonymous, undefined)
})

test('the issuer from flags obeys the rules for files, and its signing algorithms', async () => {
  const web = createWeb()
  publish(web, [key])
  const token = await sign(key)
  assert.equal(await (await start(web, { oidc: oidc() })).name(token), 'flag:jane')
  assert.match((await (await start(web, { oidc: oidc({ algorithms: ['RS256'] }) })).name(token)) ?? '', /unsupported algorithm/)
  const own = { ...oidc().issuer, url: 'https://own.example' }
  await assert.rejects(start(web, { oidc: oidc({ issuer: own }) }), /--oidc-issuer-url: jwt\[0\]\.issuer\.url: .*disallowed issuers/)
})

test('issuers in a file take precedence; the issuer from flags is used when the file has none', async () => {
  const web = createWeb()
  publish(web, [key])
  const token = await sign(key)
  const given = { configuration: path, oidc: oidc() }
  assert.equal(await (await start(web, given, file({ jwt: [entry('file:')] }))).name(token), 'file:jane')
  assert.equal(await (await start(web, given, file({}))).name(token), 'flag:jane')
  const conflicts = () => ['a and b are mutually exclusive']
  await assert.rejects(start(web, { ...given, conflicts }, file({ jwt: [entry('')] })), /a and b are mutually exclusive/)
})

test('anonymous authentication as configured in the file', async () => {
  const web = createWeb()
  const withFile = (anonymous: object) => start(web, { configuration: path }, file({ anonymous }))
  assert.equal((await withFile({ enabled: false })).authentication.anonymous, undefined)
  const { anonymous } = (await withFile({ enabled: true, conditions: [{ path: '/livez' }] })).authentication
  const connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' as const }
  const ask = (at: string) => anonymous?.authenticate(new Request(`https://x${at}`), connection, undefined)
  assert.ok(ask('/livez'), 'a listed path')
  assert.equal(ask('/livez/etcd'), undefined)
  assert.equal(ask('/'), undefined)
})

test('a changed file is used once all its issuers are initialized, and retried otherwise', async () => {
  const web = createWeb()
  publish(web, [key])
  const { onDisk, name, lines, text, authentication } = await start(web, { configuration: path }, file({ jwt: [entry('old:')] }))
  const token = await sign(key)
  assert.equal(await name(token), 'old:jane')
  await eventually('the hash of the JWKS', async () => /key_set_info\{[^}]*\} 1/.test(text()))

  onDisk.set(file({ jwt: [entry('new:'), entry('', second)] }))
  await quiet()
  clock.advance(11_000)
  await quiet()
  assert.equal(await name(token), 'old:jane', 'while an issuer is being initialized')
  clock.advance(50_000)
  await quiet()
  assert.match(lines.join('\n'), /not reloaded.*discovery did not succeed for every issuer/)
  publish(web, [key], second)
  assert.equal(await name(token), 'old:jane')
  clock.advance(60_000)
  await quiet()
  assert.equal(await name(token), 'new:jane', 'it is retried')
  assert.equal(await name(await sign(key, { iss: second })), 'jane')

  onDisk.set(file({ jwt: [entry('', second)] }))
  await quiet()
  assert.equal(await name(token), undefined, 'tokens of a removed issuer get no opinion')
  assert.doesNotMatch(text(), /key_set_info\{[^}]*\} 1\n[^#]*key_set_info/, 'and no metrics')
  authentication.close()
  const calls = web.calls.length
  onDisk.set(file({ jwt: [entry('late:')] }))
  clock.advance(120_000)
  await quiet()
  assert.equal(web.calls.length, calls, 'no requests after close')
})

test('an invalid changed file is not used', async () => {
  const web = createWeb()
  publish(web, [key])
  const { onDisk, name, lines, text } = await start(web, { configuration: path }, file({ jwt: [entry('good:')] }))
  const token = await sign(key)
  const bad = ['{', '[]', file({ jwt: [{}] }), file({ anonymous: { enabled: true } }), file({ jwt: [entry('', 'https://own.example')] })]
  for (const content of bad) {
    onDisk.set(content)
    await quiet()
    assert.equal(await name(token), 'good:jane', content)
  }
  assert.equal(lines.filter((line) => line.includes('not reloaded; the last valid one stays')).length, bad.length)
  assert.match(text(), /automatic_reloads_total\{apiserver_id_hash="",status="failure"\} 5/)
})
