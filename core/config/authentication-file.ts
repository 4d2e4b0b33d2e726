/** JWT issuers from files and flags. Imported only if there are any, because it brings the parsers of files and of CEL. */
import { anonymousAuthenticator } from '../authn/anonymous.ts'
import { cachedTokens } from '../authn/cached-tokens.ts'
import { jwtAlgorithms } from '../authn/jwt/algorithms.ts'
import { type JwtAuthenticators, jwtAuthenticators } from '../authn/jwt/authenticator.ts'
import { messageOf } from '../schema/message-of.ts'
import type { AuthenticationContent, AuthenticationContext, ConfiguredAuthentication } from './authentication.ts'
import { type AuthenticationConfiguration, authenticationConfiguration } from './files/authentication.ts'
import { loadConfigurationFile, parseText } from './files/load.ts'

/** Time-to-live in milliseconds of cached tokens. */
const tokenTtl = 10_000
/** Milliseconds that the providers of a changed file have for discovery, and the interval between attempts to load it otherwise. */
const readyWithin = 60_000

const noFile: Pick<AuthenticationConfiguration, 'jwt' | 'anonymous'> = { jwt: [], anonymous: undefined }
type Content = typeof noFile

/** Parses the file. Throws an Error with all problems. */
function readFile(text: string, path: string, { settings, platform, ownIssuers, gates }: AuthenticationContext): Content {
  const conflicts = settings.conflicts?.(contentOf(parseText(text, path))) ?? []
  if (conflicts.length > 0) throw new Error(conflicts.join('; '))
  return loadConfigurationFile('AuthenticationConfiguration', text, path, platform, {
    ownIssuers,
    gates,
    egress: settings.egress ?? false,
  })
}

function contentOf(value: unknown): AuthenticationContent {
  const { jwt, anonymous } = (typeof value === 'object' && value !== null ? value : {}) as { jwt?: unknown; anonymous?: unknown }
  return { jwt: Array.isArray(jwt) ? jwt : [], anonymous: anonymous ?? undefined }
}

/** Validates the flags' issuer by the same rules as a file's. */
function validateFlags({ settings: { oidc }, platform, ownIssuers, gates }: AuthenticationContext): void {
  if (oidc === undefined) return
  const { algorithms: _, ...jwt } = oidc
  const meta = { apiVersion: '', kind: '' }
  authenticationConfiguration.load(
    { ...meta, jwt: [jwt] },
    { platform, ownIssuers, gates, path: '--oidc-issuer-url', automaticReload: false, egress: false },
  )
}

function createTokens({ jwt }: Content, context: AuthenticationContext): JwtAuthenticators {
  const { platform, ports, metrics, settings, gates } = context
  const observer = gates.enabled('StructuredAuthenticationConfigurationJWKSMetrics')
    ? metrics
    : { ...metrics, fetchedKeys: () => undefined }
  const shared = { ...ports, platform, logger: ports.telemetry.logger, observer }
  if (jwt.length > 0 || settings.oidc === undefined) return jwtAuthenticators(jwt, { ...shared, algorithms: jwtAlgorithms })
  return jwtAuthenticators([settings.oidc], { ...shared, algorithms: settings.oidc.algorithms })
}

export async function configuredAuthentication(context: AuthenticationContext): Promise<ConfiguredAuthentication> {
  const { settings, ports, metrics } = context
  const { clock, files, telemetry } = ports
  const path = settings.configuration
  const readText = async (from: string) => new TextDecoder().decode(await files.read(from))
  let text = path === undefined ? '' : await readText(path)
  let content = path === undefined ? noFile : readFile(text, path, context)
  validateFlags(context)
  const { anonymous = { enabled: context.anonymous, conditions: [] } } = content
  const fixed = JSON.stringify(content.anonymous)
  const cached = (tokens: JwtAuthenticators) => ({ tokens, cache: cachedTokens(tokens, { ttl: tokenTtl, clock }) })
  let current = cached(createTokens(content, context))
  /** Authenticators that are waiting for discovery. */
  let next: JwtAuthenticators | undefined
  let retry = () => {}
  let closed = false

  async function reload(from: string): Promise<void> {
    const read = await readText(from)
    if (read === text) return
    retry()
    text = read
    const changed = readFile(read, from, context)
    if (JSON.stringify(changed.anonymous) !== fixed)
      throw new Error(`${from}: anonymous: Forbidden: changed from initial configuration file`)
    const fresh = cached(createTokens(changed, context))
    next = fresh.tokens
    const found = await next.found(readyWithin)
    next = undefined
    if (closed || !found) fresh.tokens.close()
    if (closed) return
    if (!found) {
      text = ''
      retry = clock.after(readyWithin, () => void follow(from))
      throw new Error(`${from}: discovery did not succeed for every issuer`)
    }
    current.tokens.close()
    current = fresh
    const issuers = new Set(changed.jwt.map(({ issuer }) => issuer.url))
    for (const { issuer } of content.jwt) if (!issuers.has(issuer.url)) metrics.forget(issuer.url)
    content = changed
    metrics.reloaded(read)
    telemetry.logger.info({ file: from }, 'authentication configuration reloaded')
  }

  let reloading = Promise.resolve()
  const follow = (from: string) => {
    reloading = reloading
      .then(() => reload(from))
      .catch((error: unknown) => {
        metrics.reloaded(undefined)
        const why = messageOf(error)
        telemetry.logger.error({ file: from, error: why }, 'authentication configuration not reloaded; the last valid one stays in use')
      })
  }
  const stopWatching = path === undefined ? undefined : files.watch(path, () => follow(path))
  if (path !== undefined) metrics.using(text)
  return {
    tokens: { name: 'jwt', authenticateToken: (token, audiences, context) => current.cache.authenticateToken(token, audiences, context) },
    ...(anonymous.enabled && { anonymous: anonymousAuthenticator(anonymous.conditions.map(({ path: allowed }) => allowed)) }),
    close() {
      closed = true
      stopWatching?.()
      retry()
      next?.close()
      current.tokens.close()
    },
  }
}
