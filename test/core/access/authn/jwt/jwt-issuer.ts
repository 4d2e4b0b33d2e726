/** An OIDC issuer in this process: a stand-in for outbound calls answers with its documents. */
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { jwtAlgorithms } from '../../../../../core/access/authn/jwt/algorithms.ts'
import type { JwtContext } from '../../../../../core/access/authn/jwt/authenticator.ts'
import type { JwtSettings } from '../../../../../core/access/authn/jwt/settings.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import type { Logger } from '../../../../../core/ports.ts'
import { ManualClock } from '../../../../support/clock.ts'

export interface IssuerKey {
  readonly algorithm: string
  readonly id: string
  readonly private: CryptoKey
  readonly public: JWK
}

export async function issuerKey(algorithm: string, id: string): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { algorithm, id, private: privateKey, public: { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' } }
}

/** Response for each URL, or a function that makes it. Other URLs are unreachable. */
export interface Web {
  readonly answers: Map<string, unknown>
  /** Requested URLs, in order. */
  readonly calls: { readonly url: string; readonly authorization: string | null }[]
  readonly fetch: (request: Request) => Promise<Response>
}

export function createWeb(): Web {
  const web: Web = {
    answers: new Map(),
    calls: [],
    async fetch(request) {
      web.calls.push({ url: request.url, authorization: request.headers.get('authorization') })
      const answer = web.answers.get(request.url)
      if (answer === undefined) throw new Error('connection refused')
      if (answer instanceof Response) return answer.clone()
      return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer))
    },
  }
  return web
}

export const issuerUrl = 'https://issuer.example'
const discovery = `${issuerUrl}/.well-known/openid-configuration`
const keysUrl = `${issuerUrl}/keys`

/** Serves the discovery document and these keys of an issuer. */
export function publish(web: Web, keys: readonly IssuerKey[], issuer = issuerUrl): void {
  web.answers.set(discovery.replace(issuerUrl, issuer), { issuer, jwks_uri: keysUrl.replace(issuerUrl, issuer) })
  web.answers.set(keysUrl.replace(issuerUrl, issuer), { keys: keys.map((key) => key.public) })
}

export const asked = (web: Web, path: string) => web.calls.filter(({ url }) => url.endsWith(path)).length

export const clock = new ManualClock()

/** Seconds since the epoch. */
export const seconds = () => Math.floor(clock.now() / 1000)

/** Signs a token with valid claims; `claims` overrides them, undefined removes one. */
export async function sign(key: IssuerKey, claims: { readonly [name: string]: unknown } = {}, header: object = {}): Promise<string> {
  const good = { iss: issuerUrl, aud: 'me', sub: 'jane', iat: seconds(), exp: seconds() + 3600 }
  const payload = Object.fromEntries(Object.entries({ ...good, ...claims }).filter(([, value]) => value !== undefined))
  return new SignJWT(payload).setProtectedHeader({ alg: key.algorithm, kid: key.id, ...header }).sign(key.private)
}

const none = { claim: '', expression: '' }

/** Authenticator settings with the defaults of a configuration file. */
export function settings(
  changes: Partial<JwtSettings['claimMappings']> & Partial<JwtSettings> & { discoveryURL?: string } = {},
): JwtSettings {
  const { username, groups, uid, extra, discoveryURL = '', ...others } = changes
  return {
    issuer: {
      url: issuerUrl,
      discoveryURL,
      certificateAuthority: '',
      audiences: ['me', 'us'],
      audienceMatchPolicy: '',
      egressSelectorType: '',
    },
    claimValidationRules: [],
    claimMappings: {
      username: username ?? { ...none, claim: 'sub', prefix: '' },
      groups: groups ?? { ...none, claim: 'groups', prefix: 'g:' },
      uid: uid ?? none,
      extra: extra ?? [],
    },
    userValidationRules: [],
    ...others,
  }
}

/** A logger that keeps its lines. */
export function keepLog(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = []
  const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { logger: { debug: write, info: write, warn: write, error: write }, lines }
}

const silent: JwtContext['reports'] = { authenticated: () => undefined, fetchedKeys: () => undefined }

export function context(web: Web, changes: Partial<JwtContext> = {}): JwtContext {
  const { logger } = keepLog()
  return { platform: createPlatform(), clock, logger, outbound: web, reports: silent, algorithms: jwtAlgorithms, ...changes }
}
