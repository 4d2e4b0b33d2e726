/** Almost valid credentials in headers: each is refused with a client error. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { fixedAuthorities } from '../../../../core/access/authn/certificate/authorities.ts'
import { x509Authenticator } from '../../../../core/access/authn/certificate/x509.ts'
import { requestHeaderAuthenticator } from '../../../../core/access/authn/request-header.ts'
import { createTokenFile } from '../../../../core/access/authn/token-file.ts'
import { LightHeaders } from '../../../../core/answers/light-headers.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { Clock, Connection } from '../../../../core/ports.ts'
import { LightRequest } from '../../../../core/request/light-request.ts'
import { processorTime } from '../../../support/cost.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { authority, clientAuth, der, issue, now, pem } from './certificate/certificates.ts'
import { caseCount, dice, mutate } from './mutations.ts'

const platform = createPlatform('kubernetes')
const clock: Clock = { now: () => now, monotonic: () => now, after: () => () => {} }
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const staticToken = 'static-5ae1c3-7f3a91'

let started: InProcess
let stranger: Connection
let tokens: readonly string[] = []

before(async () => {
  const ca = await issue({ subject: 'CN=ca', extensions: authority() })
  const other = await issue({ subject: 'CN=ca', extensions: authority() })
  const authorities = fixedAuthorities([pem(ca)])
  const proxies = {
    authorities,
    allowedNames: ['proxy'],
    headers: { username: ['X-Remote-User'], uid: ['X-Remote-Uid'], group: ['X-Remote-Group'], extraPrefix: ['X-Remote-Extra-'] },
  }
  stranger = {
    remoteAddress: '127.0.0.1',
    remotePort: 1,
    protocol: 'http/1.1',
    tls: { version: 'TLSv1.3', peerCertificates: [der(await issue({ subject: 'CN=proxy', issuer: other, extensions: [clientAuth] }))] },
  }
  started = await startInProcess({
    platform,
    clock,
    telemetry: { logger: silentLogger },
    controllers: [],
    anonymous: false,
    authorizationModes: ['RBAC'],
    authenticators: [requestHeaderAuthenticator(proxies, clock), x509Authenticator({ authorities, platform, clock })],
    staticTokens: [(await createTokenFile(`${staticToken},nobody,1,"a,b"\n`, 'tokens.csv')).authenticator],
    serviceAccounts: { signingKey: key, verificationKeys: [key], issuers: ['https://own'], audiences: ['https://own'] },
    bootstrapTokens: true,
  })
  const claims = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwt = (header: object, payload: object) => `${claims(header)}.${claims(payload)}.${'A'.repeat(86)}`
  const account = { namespace: 'kube-system', serviceaccount: { name: 'default', uid: 'u' } }
  const payload = {
    iss: 'https://own',
    aud: ['https://own'],
    exp: 9_999_999_999,
    sub: 'system:serviceaccount:kube-system:default',
    'kubernetes.io': account,
  }
  tokens = [
    `${staticToken}0`,
    'abcdef.0123456789abcdef',
    jwt({ alg: 'ES256' }, payload),
    jwt({ alg: 'none' }, payload),
    jwt({ alg: 'ES256' }, { ...payload, iss: 'kubernetes/serviceaccount' }),
  ]
})
after(() => started.close())

const connection: Connection = { remoteAddress: '127.0.0.1', remotePort: 1, protocol: 'http/1.1' }
/** A header value as Node passes it on: without line ends and control characters. */
const asValue = (text: string) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()
const asName = (text: string) => text.replaceAll(/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/g, '') || 'x'

async function statusOf(raw: readonly string[], via: Connection): Promise<number> {
  const request = new LightRequest('GET', '/api/v1/secrets', LightHeaders.fromRaw(raw), null)
  const response = await started.server.fetch(request, via)
  await response.arrayBuffer()
  return response.status
}

async function tryAll(
  seed: number,
  make: (roll: (below: number) => number) => { raw: string[]; via: Connection },
  allowed: readonly number[],
) {
  const roll = dice(seed)
  const slowest = { took: 0, raw: [] as string[] }
  for (let count = 0; count < caseCount; count++) {
    const { raw, via } = make(roll)
    const { result: status, milliseconds: took } = await processorTime(() => statusOf(raw, via))
    if (took > slowest.took) Object.assign(slowest, { took, raw })
    assert.ok(allowed.includes(status), `case ${count}: ${status} for ${JSON.stringify(raw)}`)
  }
  assert.ok(slowest.took < 10_000, `${slowest.took} ms for ${JSON.stringify(slowest.raw).slice(0, 1_000)}`)
}

const oneOf = <T>(list: readonly T[], roll: (below: number) => number): T => {
  const found = list[roll(list.length)]
  if (found === undefined) throw new Error('an empty list')
  return found
}

test('Authorization', async () => {
  const make = (roll: (below: number) => number) => {
    const value = asValue(mutate(`Bearer ${oneOf(tokens, roll)}`, roll))
    // Some changes leave the token intact; take them out.
    return { raw: ['Authorization', value.replaceAll(staticToken, 'wrong')], via: connection }
  }
  await tryAll(1, make, [401])
})

test('X-Remote-*', async () => {
  const names = ['X-Remote-User', 'X-Remote-Uid', 'X-Remote-Group', 'X-Remote-Extra-Scopes', 'X-Remote-Extra-a%2fb']
  const values = ['system:admin', 'system:masters', 'jane, system:masters', '']
  const make = (roll: (below: number) => number) => {
    const raw = ['X-Remote-User', asValue(mutate('system:admin', roll))]
    for (let more = roll(4); more > 0; more--) {
      raw.push(asName(roll(2) === 0 ? oneOf(names, roll) : mutate(oneOf(names, roll), roll)), asValue(mutate(oneOf(values, roll), roll)))
    }
    return { raw, via: roll(2) === 0 ? connection : stranger }
  }
  await tryAll(2, make, [401])
})

test('Impersonate-*', async () => {
  const names = ['Impersonate-User', 'Impersonate-Uid', 'Impersonate-Group', 'Impersonate-Extra-Scopes', 'Impersonate-Extra-a%2fb']
  const values = ['system:admin', 'system:masters', 'system:serviceaccount:kube-system:default', 'system:node:n', 'a, b', '']
  const make = (roll: (below: number) => number) => {
    const raw = ['Authorization', `Bearer ${staticToken}`]
    for (let more = 1 + roll(4); more > 0; more--) {
      raw.push(asName(roll(2) === 0 ? oneOf(names, roll) : mutate(oneOf(names, roll), roll)), asValue(mutate(oneOf(values, roll), roll)))
    }
    return { raw, via: connection }
  }
  // Secrets are forbidden for every user that may result.
  await tryAll(3, make, [400, 403])
})
