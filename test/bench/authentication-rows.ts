/** Rows for tokens: requests with a cached token, and verification of a new one compared with bare `jose`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { jwtAlgorithms } from '../../core/access/authn/jwt/algorithms.ts'
import { jwtAuthenticators } from '../../core/access/authn/jwt/authenticator.ts'
import { createPlatform } from '../../core/platform.ts'
import { nodeClock } from '../../runtimes/node/start/ports.ts'
import { startOidcProvider } from '../support/oidc.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import { eventually } from '../support/wait.ts'
import type { Compare } from './api-rows.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { load } from './load.ts'

const path = '/api/v1/namespaces/default/configmaps/bench'
const aim = '0.85'
const staticToken = 'a-static-token-of-the-bench'

/** Group of the other users, with the rights of the service account, so that only authentication differs. */
const group = 'bench'

/** A token of a service account with all rights. */
async function serviceAccountToken(post: (path: string, object: object) => Promise<{ status: { token: string } }>): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await post(accounts, { metadata: { name: 'bench' } })
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [
      { kind: 'ServiceAccount', namespace: 'default', name: 'bench' },
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group },
    ],
  })
  return (await post(`${accounts}/bench/token`, { spec: { expirationSeconds: 3600 } })).status.token
}

async function getRows<Row>(compare: Compare<Row>, seconds: number, daemon: BenchDaemon, oidcToken: string): Promise<Row[]> {
  const { url, ca, cert, key } = daemon
  const admin = tlsFetch(url, { ca, cert, key })
  const post = async (to: string, object: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await admin.fetch(to, { method: 'POST', headers, body: JSON.stringify(object) })
    if (!response.ok) throw new Error(`POST ${to}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { status: { token: string } }
  }
  await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'bench' }, data: { a: 'b' } })
  const accountToken = await serviceAccountToken(post)
  admin.close()
  const withToken = (token: string) => async () => {
    const { requestsPerSecond, failures } = await load({
      url,
      ca,
      path,
      seconds,
      connections: 32,
      headers: { authorization: `Bearer ${token}` },
    })
    if (failures > 0) throw new Error(`${failures} requests failed`)
    return requestsPerSecond
  }
  await eventually('the provider is found', async () => withToken(oidcToken)(), 20_000)
  // Otherwise the first measurement would include the compilation of shared code.
  for (const token of [accountToken, staticToken]) await withToken(token)()
  return [
    await compare('GET with a service account token : with a static one', aim, withToken(accountToken), withToken(staticToken)),
    await compare('GET with an OIDC token : with a static one', aim, withToken(oidcToken), withToken(staticToken)),
  ]
}

/** Sequential calls of a function per second. */
async function rate(seconds: number, run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  let count = 0
  for (; performance.now() - began < seconds * 1000; count++) await run()
  return (count * 1000) / (performance.now() - began)
}

/** Verification of a new token (signature, claims and user), compared with `jose` for signature and claims. */
async function coldRow<Row>(compare: Compare<Row>, seconds: number, algorithm: string): Promise<Row> {
  const [issuer, audience] = ['https://issuer.example', 'bench']
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  const documents = new Map<string, object>([
    [`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: `${issuer}/keys` }],
    [`${issuer}/keys`, { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: algorithm }] }],
  ])
  const none = { claim: '', expression: '' }
  const claimMappings = {
    username: { ...none, claim: 'sub', prefix: '' },
    groups: { ...none, claim: 'groups', prefix: '' },
    uid: none,
    extra: [],
  }
  const silent = () => undefined
  const tokens = jwtAuthenticators(
    [
      {
        issuer: {
          url: issuer,
          discoveryURL: '',
          certificateAuthority: '',
          audiences: [audience],
          audienceMatchPolicy: '',
          egressSelectorType: '',
        },
        claimValidationRules: [],
        claimMappings,
        userValidationRules: [],
      },
    ],
    {
      platform: createPlatform(),
      clock: nodeClock,
      logger: { debug: silent, info: silent, warn: silent, error: silent },
      outbound: { fetch: async (request) => Response.json(documents.get(request.url)) },
      reports: { authenticated: silent, fetchedKeys: silent },
      algorithms: jwtAlgorithms,
    },
  )
  await tokens.found(1_000)
  const claims = { iss: issuer, aud: audience, sub: 'jane', groups: ['dev', 'ops'] }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, kid: 'k' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  const ours = () => rate(seconds, async () => tokens.authenticateToken(token, undefined, undefined))
  const bare = () => rate(seconds, () => jwtVerify(token, publicKey, { issuer, audience, algorithms: [algorithm] }))
  await ours()
  const row = await compare(`verify a new ${algorithm} token : bare jose`, '', ours, bare)
  tokens.close()
  return row
}

/** Measures all rows of this file. */
export async function authenticationRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'apiserver-bench-tokens-'))
  const provider = await startOidcProvider()
  try {
    writeFileSync(join(home, 'ca.crt'), provider.ca)
    writeFileSync(join(home, 'tokens.csv'), `${staticToken},bench,1,${group}\n`)
    await provider.say({ groups: [group] })
    const flags = ['--data-dir=:memory:', `--token-auth-file=${home}/tokens.csv`, '--oidc-groups-claim=groups']
    const issuer = [`--oidc-issuer-url=${provider.issuer}`, `--oidc-client-id=${provider.clientId}`, `--oidc-ca-file=${home}/ca.crt`]
    const daemon = await startDaemon(port, [...flags, ...issuer])
    try {
      const rows = await getRows(compare, seconds, daemon, await provider.login('jane'))
      for (const algorithm of ['RS256', 'ES256']) rows.push(await coldRow(compare, seconds, algorithm))
      return rows
    } finally {
      await daemon.stop()
    }
  } finally {
    await provider.stop()
    rmSync(home, { recursive: true, force: true })
  }
}
