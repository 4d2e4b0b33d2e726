/** The JWT authenticators that flags or a file describe, and who may be anonymous. */
import { anonymousAuthenticator } from '../authn/anonymous.ts'
import type { Authenticator, TokenAuthenticator } from '../authn/authenticator.ts'
import type { AuthenticationMetrics } from '../meta/authentication-metrics.ts'
import type { Platform } from '../platform.ts'
import type { Ports } from '../ports.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { AuthenticationContent } from './file-exclusions.ts'
import type { JWTAuthenticator } from './files/jwt.ts'

/** An issuer as the `--oidc-*` flags describe it. */
export interface OidcIssuer extends JWTAuthenticator {
  readonly algorithms: readonly string[]
}

/** Where the server learns which issuers of JWTs it believes. */
export interface AuthenticationSettings {
  /** Path of a file of kind AuthenticationConfiguration; it is read again when it changes. */
  readonly configuration?: string
  /** What of a file other settings decide already, one line each; such a file is not taken. */
  conflicts?(file: AuthenticationContent): readonly string[]
  /** Whether outgoing connections are told apart (--egress-selector-config-file). */
  readonly egress?: boolean
  /** Counts when the file describes no issuers. */
  readonly oidc?: OidcIssuer
}

export interface AuthenticationContext {
  readonly settings: AuthenticationSettings
  /** Whether anybody may be anonymous, when the file does not say. */
  readonly anonymous: boolean
  /** Issuers of this server's own tokens. */
  readonly ownIssuers: readonly string[]
  readonly gates: Pick<FeatureGates, 'enabled'>
  readonly platform: Platform
  readonly ports: Pick<Ports, 'clock' | 'files' | 'outbound' | 'telemetry'>
  readonly metrics: AuthenticationMetrics
}

export interface ConfiguredAuthentication {
  /** Absent: no issuers of JWTs are configured. */
  readonly tokens?: TokenAuthenticator
  /** Absent: nobody is anonymous. */
  readonly anonymous?: Authenticator
  close(): void
}

/** Rejects with an Error that names every fault of the flags or the file. */
export async function createAuthentication(context: AuthenticationContext): Promise<ConfiguredAuthentication> {
  const { settings, anonymous } = context
  if (settings.configuration !== undefined || settings.oidc !== undefined) {
    const { configuredAuthentication } = await import('./authentication-file.ts')
    return configuredAuthentication(context)
  }
  return { ...(anonymous && { anonymous: anonymousAuthenticator() }), close: () => undefined }
}
