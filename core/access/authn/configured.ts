/** JWT authenticators from flags or a file, and the conditions of anonymous requests. */

import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { FeatureGates } from '../../config/feature-gates.ts'
import type { ReloadReports } from '../../config/reload-metrics.ts'
import type { Platform } from '../../platform.ts'
import type { Egress, Ports } from '../../ports.ts'
import { anonymousAuthenticator } from './anonymous.ts'
import type { Authenticator, TokenAuthenticator } from './authenticator.ts'
import type { configuredAuthentication } from './file/authenticators.ts'
import type { JWTAuthenticator } from './file/jwt.ts'
import type { IssuerReports } from './jwt/metrics.ts'

/** The parts of an AuthenticationConfiguration, possibly invalid, that may conflict with flags. */
export interface AuthenticationContent {
  readonly jwt: readonly unknown[]
  readonly anonymous?: unknown
}

/** An issuer from the `--oidc-*` flags. */
export interface OidcIssuer extends JWTAuthenticator {
  readonly algorithms: readonly string[]
}

/** Sources of JWT issuers. */
export interface AuthenticationSettings {
  /** Path of an AuthenticationConfiguration file; reloaded when it changes. */
  readonly configuration?: string
  /** Conflicts between the file and other settings, one line each; such a file is rejected. */
  conflicts?(file: AuthenticationContent): readonly string[]
  /** Traffic classes with an egress selection; absent: there is no egress selector. */
  readonly egress?: readonly Egress[]
  /** Used when the file has no issuers. */
  readonly oidc?: OidcIssuer
}

export interface AuthenticationContext {
  readonly settings: AuthenticationSettings
  /** Whether anonymous requests are allowed, unless the file says otherwise. */
  readonly anonymous: boolean
  /** This server's own token issuers. */
  readonly ownIssuers: readonly string[]
  readonly gates: Pick<FeatureGates, 'enabled'>
  readonly platform: Platform
  readonly ports: Pick<Ports, 'clock' | 'files' | 'outbound' | 'telemetry'>
  readonly reports: IssuerReports
  /** Receives what becomes of the file. */
  readonly reloads: ReloadReports
  /** What makes authenticators of issuers. */
  configured(): typeof configuredAuthentication
}

export interface ConfiguredAuthentication {
  /** Absent: no JWT issuers are configured. */
  readonly tokens?: TokenAuthenticator
  /** Absent: no anonymous requests. */
  readonly anonymous?: Authenticator
  close(): void
}

/** Rejects with an Error that names every problem in the flags or file. A plain value without either. */
export function createAuthentication(context: AuthenticationContext): MaybePromise<ConfiguredAuthentication> {
  const { settings, anonymous } = context
  if (settings.configuration !== undefined || settings.oidc !== undefined) return context.configured()(context)
  return { ...(anonymous && { anonymous: anonymousAuthenticator() }), close: () => undefined }
}
