/** JWT issuers from files and flags. Imported only if there are any, because it brings the parsers of files and of CEL. */

import { loadFile, parseText } from '../../../config/files/load.ts'
import { followFile, readFileText } from '../../../config/follow-file.ts'
import { anonymousAuthenticator } from '../anonymous.ts'
import { cachedTokens } from '../cached-tokens.ts'
import type { AuthenticationContent, AuthenticationContext, ConfiguredAuthentication } from '../configured.ts'
import { jwtAlgorithms } from '../jwt/algorithms.ts'
import { type JwtAuthenticators, jwtAuthenticators } from '../jwt/authenticator.ts'
import { type AuthenticationConfiguration, authenticationConfiguration } from './authentication.ts'

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
  return loadFile(authenticationConfiguration, text, path, platform, {
    ownIssuers,
    gates,
    ...(settings.egress && { egress: settings.egress }),
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
    { platform, ownIssuers, gates, path: '--oidc-issuer-url', automaticReload: false, egress: undefined },
  )
}

function createTokens({ jwt }: Content, context: AuthenticationContext): JwtAuthenticators {
  const { platform, ports, settings, gates } = context
  const reports = gates.enabled('StructuredAuthenticationConfigurationJWKSMetrics')
    ? context.reports
    : { ...context.reports, fetchedKeys: () => undefined }
  const shared = { ...ports, platform, logger: ports.telemetry.logger, reports }
  if (jwt.length > 0 || settings.oidc === undefined) return jwtAuthenticators(jwt, { ...shared, algorithms: jwtAlgorithms })
  return jwtAuthenticators([settings.oidc], { ...shared, algorithms: settings.oidc.algorithms })
}

/** Providers of a changed file that can't be reached. */
class NotFoundError extends Error {}

export async function configuredAuthentication(context: AuthenticationContext): Promise<ConfiguredAuthentication> {
  const { settings, ports, reports, reloads } = context
  const { clock, files, telemetry } = ports
  const path = settings.configuration
  const text = path === undefined ? '' : await readFileText(files, path)
  let content = path === undefined ? noFile : readFile(text, path, context)
  validateFlags(context)
  const { anonymous = { enabled: context.anonymous, conditions: [] } } = content
  const fixed = JSON.stringify(content.anonymous)
  const cached = (tokens: JwtAuthenticators) => ({ tokens, cache: cachedTokens(tokens, { ttl: tokenTtl, clock }) })
  let current = cached(createTokens(content, context))

  /** Authenticators of a changed file, when the providers of all issuers are found. */
  async function load(from: string, changedText: string, closing: AbortSignal) {
    const changed = readFile(changedText, from, context)
    if (JSON.stringify(changed.anonymous) !== fixed)
      throw new Error(`${from}: anonymous: Forbidden: changed from initial configuration file`)
    const fresh = cached(createTokens(changed, context))
    const giveUp = () => fresh.tokens.close()
    closing.addEventListener('abort', giveUp)
    const found = await fresh.tokens.found(readyWithin)
    closing.removeEventListener('abort', giveUp)
    if (found) return { changed, fresh }
    giveUp()
    throw new NotFoundError(`${from}: discovery did not succeed for every issuer`)
  }

  const follow = (from: string) =>
    followFile({
      path: from,
      files,
      logger: telemetry.logger,
      text,
      what: 'authentication configuration',
      reloaded: reloads.reloaded,
      load: (changedText, closing) => load(from, changedText, closing),
      drop: ({ fresh }) => fresh.tokens.close(),
      retry: { clock, after: readyWithin, when: (error) => error instanceof NotFoundError },
      use({ changed, fresh }) {
        current.tokens.close()
        current = fresh
        const issuers = new Set(changed.jwt.map(({ issuer }) => issuer.url))
        for (const { issuer } of content.jwt) if (!issuers.has(issuer.url)) reports.forget(issuer.url)
        content = changed
      },
    })
  const stopFollowing = path === undefined ? undefined : follow(path)
  if (path !== undefined) reloads.using(text)
  return {
    tokens: { name: 'jwt', authenticateToken: (token, audiences, context) => current.cache.authenticateToken(token, audiences, context) },
    ...(anonymous.enabled && { anonymous: anonymousAuthenticator(anonymous.conditions.map(({ path: allowed }) => allowed)) }),
    close() {
      stopFollowing?.()
      current.tokens.close()
    },
  }
}
