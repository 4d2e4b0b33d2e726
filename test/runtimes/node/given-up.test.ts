/** Requests that are given up, at servers that never answer: each kind of call ends with the request that waits for it. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { webhookTokens } from '../../../core/access/authn/webhook-token.ts'
import { webhookAuthorizer } from '../../../core/access/authz/webhook.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Clock } from '../../../core/ports.ts'
import type { ApiServer } from '../../../core/server.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { nodeClock } from '../../../runtimes/node/start/ports.ts'
import { issuerKey } from '../../core/access/authn/jwt/jwt-issuer.ts'
import { startInProcess } from '../../support/in-process.ts'
import { silentLogger } from '../../support/logger.ts'
import { eventually, within } from '../../support/wait.ts'
import { authority, serving } from './support.ts'

type Review = { readonly kind?: string; readonly spec?: { readonly resourceAttributes?: { readonly verb?: string } } }

const platform = createPlatform()
const outbound = createOutbound()
const key = await issuerKey('ES256', 'one')
const other = await issuerKey('ES256', 'two')

/** Which calls are never answered, by path and verb or token. */
let held: (path: string, review: Review) => boolean = () => false
const open = new Set<ServerResponse>()
const answers: { readonly [path: string]: (review: Review) => object } = {
  '/.well-known/openid-configuration': () => ({ issuer: url, jwks_uri: `${url}/keys` }),
  '/keys': () => ({ keys: [key.public] }),
  '/authorize': () => ({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: { allowed: false } }),
  '/tokens': () => ({ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', status: { authenticated: false } }),
  '/images': () => ({ status: { allowed: true } }),
}
const web = createServer(serving, async (request, response) => {
  const [path = ''] = (request.url ?? '').split('?', 1)
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const review = (text === '' ? {} : JSON.parse(text)) as Review
  if (!held(path, review)) return void response.end(JSON.stringify(answers[path]?.(review)))
  open.add(response)
  response.once('close', () => open.delete(response))
})
let url = ''
let server: ApiServer
/** Milliseconds that no other timer has. */
const deadline = 54_321
/** Ends the requests with this deadline. */
let expire = () => {}
const clock: Clock = {
  ...nodeClock,
  after(milliseconds, callback) {
    if (milliseconds !== deadline) return nodeClock.after(milliseconds, callback)
    expire = callback
    return () => {
      expire = () => {}
    }
  },
}

before(async () => {
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(web.address() as AddressInfo).port}`
  const options = { certificateAuthority: authority.certPem }
  const connection = (path: string) => ({ url: `${url}${path}`, options })
  const ports = { outbound, clock: nodeClock, logger: silentLogger, platform }
  const authorizer = webhookAuthorizer(
    {
      name: 'held',
      version: 'v1',
      connection: connection('/authorize'),
      authorizedTtl: 0,
      unauthorizedTtl: 0,
      timeout: 3_600_000,
      onFailure: 'deny',
    },
    ports,
  )
  const webhook = webhookTokens({ connection: connection('/tokens'), version: 'v1', audiences: [], cacheTtl: 0 }, ports)
  const file = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url, audiences: ['me'], certificateAuthority: authority.certPem },
        claimMappings: { username: { claim: 'sub', prefix: '' } },
      },
    ],
  }
  const files = { read: async () => new TextEncoder().encode(JSON.stringify(file)), watch: () => () => {} }
  server = (
    await startInProcess({
      authorizers: [authorizer],
      tokenAuthenticators: [webhook],
      authentication: { configuration: 'authentication.json' },
      admissionPlugins: { enable: ['OwnerReferencesPermissionEnforcement', 'ImagePolicyWebhook'] },
      pluginConfigurations: {
        ImagePolicyWebhook: { connection: connection('/images'), retryBackoff: 10, allowTtl: 0, denyTtl: 0, defaultAllow: false },
      },
      outbound,
      clock,
      files,
      telemetry: { logger: silentLogger },
    })
  ).server
  await eventually('discovery', async () => (await ask('GET', '/version', {}, await token(key))).status === 200)
  const owned = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'owned' } }
  assert.equal((await ask('POST', configMaps, { body: JSON.stringify(owned) })).status, 201)
})
after(async () => {
  await server.close()
  web.closeAllConnections()
  web.close()
})

const configMaps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const token = ({ private: own, algorithm }: typeof key) =>
  new SignJWT({ iss: url, aud: 'me', sub: 'jane' }).setProtectedHeader({ alg: algorithm, kid: 'one' }).setExpirationTime('1h').sign(own)

function ask(method: string, path: string, { headers, ...init }: RequestInit = {}, bearer?: string): Promise<Response> {
  const all = { ...Object.fromEntries(new Headers(headers)), ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) }
  return server.fetch(new Request(`http://test${path}`, { method, headers: { 'content-type': 'application/json', ...all }, ...init }))
}

const verbOf = ({ spec }: Review) => spec?.resourceAttributes?.verb
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u' }
const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const apply = { 'content-type': 'application/apply-patch+yaml' }

/** What is held, and the request that waits for it. */
const calls: {
  readonly [call: string]: {
    readonly held: typeof held
    readonly request: readonly [method: string, path: string, init?: RequestInit]
    readonly as?: typeof key
  }
} = {
  'the authorization webhook, by impersonation': {
    held: (_path, review) => verbOf(review)?.startsWith('impersonate') === true,
    request: ['GET', configMaps, { headers: { 'impersonate-user': 'bob' } }],
  },
  'the authorization webhook, by an apply that creates': {
    held: (_path, review) => verbOf(review) === 'create',
    request: [
      'PATCH',
      `${configMaps}/new?fieldManager=test`,
      { headers: apply, body: JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'new' } }) },
    ],
  },
  'the authorization webhook, by admission': {
    held: (_path, review) => verbOf(review) === 'delete',
    request: [
      'PATCH',
      `${configMaps}/owned?fieldManager=test`,
      { headers: { 'content-type': 'application/merge-patch+json' }, body: JSON.stringify({ metadata: { ownerReferences: [owner] } }) },
    ],
  },
  'the keys of an OpenID provider': { held: (path) => path === '/keys', request: ['GET', configMaps], as: other },
  'the token webhook, by a TokenReview': {
    held: (path) => path === '/tokens',
    request: [
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      { body: JSON.stringify({ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token: 'unknown' } }) },
    ],
  },
  'the image policy webhook': { held: (path) => path === '/images', request: ['POST', pods, { body: JSON.stringify(pod) }] },
}

for (const [call, { held: hold, request, as }] of Object.entries(calls))
  for (const ending of ['client', 'deadline'] as const)
    test(`${call}: ${ending}`, async () => {
      const [method, path, init] = request
      const leaving = new AbortController()
      const limit = ending === 'deadline' ? `${path.includes('?') ? '&' : '?'}timeout=${deadline}ms` : ''
      const bearer = as && (await token(as))
      held = hold
      try {
        const answer = ask(method, `${path}${limit}`, { ...init, signal: leaving.signal }, bearer)
        const early = answer.then(async (response) => assert.fail(`answered before: ${await response.text()}`))
        await Promise.race([eventually('the call', async () => open.size === 1), early])
        if (ending === 'client') leaving.abort()
        else expire()
        const { status } = await within('the answer', answer, 4_000)
        assert.equal(status, ending === 'client' ? 503 : 504)
        await eventually('the end of the call', async () => open.size === 0, 2_000)
      } finally {
        held = () => false
        for (const response of open) response.destroy()
      }
    })
