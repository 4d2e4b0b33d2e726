/** Authenticators of a daemon, from its options and their files. */
import type { TokenAuthenticator } from '../../../core/access/authn/authenticator.ts'
import { certificateRows } from '../../../core/access/authn/certificate/metrics.ts'
import { x509Authenticator } from '../../../core/access/authn/certificate/x509.ts'
import { requestHeaderAuthenticator } from '../../../core/access/authn/request-header.ts'
import { followTokenFile } from '../../../core/access/authn/token-file.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import type { Egress, HostPorts } from '../../../core/ports.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { reasonOf } from '../../atomic-file.ts'
import type { ClientAuthorities } from '../pki/authorities.ts'
import { serviceAccountKeys } from '../pki/service-accounts.ts'
import type { AuthenticationOptions } from './authentication-options.ts'
import { readPath } from './read-path.ts'

/** Users of the token file, which is read again when it changes until `close`. */
export interface StaticTokens {
  readonly authenticators: readonly TokenAuthenticator[]
  close(): void
}

export async function staticTokens({ tokenFile }: Pick<AuthenticationOptions, 'tokenFile'>, ports: HostPorts): Promise<StaticTokens> {
  if (!tokenFile) return { authenticators: [], close() {} }
  const { authenticator, close } = await followTokenFile(tokenFile, readPath('token-auth-file', tokenFile), ports).catch(
    (error: unknown) => {
      throw new FlagError(`--token-auth-file: ${reasonOf(error)}`)
    },
  )
  return { authenticators: [authenticator], close }
}

async function webhookTokens(
  { platform, webhook: { file, ...settings } }: AuthenticationOptions,
  audiences: readonly string[],
  ports: HostPorts,
): Promise<TokenAuthenticator[]> {
  if (!file) return []
  const [{ loadConnectionFile }, webhook] = await Promise.all([
    import('../../../core/outgoing/webhook/connection-file.ts'),
    import('../../../core/access/authn/webhook-token.ts'),
  ])
  const connection = await loadConnectionFile(file, ports, 'controlplane').catch((error: unknown) => {
    throw new FlagError(`--authentication-token-webhook-config-file: ${reasonOf(error)}`)
  })
  return [webhook.webhookTokens({ ...settings, connection, audiences }, { ...ports, logger: ports.telemetry.logger, platform })]
}

/**
 * Options of the core. `serviceAccountKey`: PEM of the generated key; `egress`: traffic classes with an egress selection. Rejects with an Error
 * that names flag and file.
 */
export async function authenticators(
  options: AuthenticationOptions,
  { authorities, tokens, serviceAccountKey }: { authorities: ClientAuthorities; tokens: StaticTokens; serviceAccountKey: string },
  ports: HostPorts,
  metrics: MetricsRegistry,
  egress: readonly Egress[] | undefined,
): Promise<ServerOptions> {
  const { platform, readsUid, bootstrapTokens, jwtIssuers, anonymous } = options
  const { clock } = ports
  const serviceAccounts = await serviceAccountKeys(options.serviceAccounts, serviceAccountKey, ports, metrics)
  const { remaining } = metrics.record(certificateRows)
  const observer = (milliseconds: number) => remaining.observe([], milliseconds / 1000)
  return {
    authenticators: [
      ...(authorities.frontProxies ? [requestHeaderAuthenticator(authorities.frontProxies, clock)] : []),
      x509Authenticator({ authorities: authorities.client, platform, clock, observer, readsUid }),
    ],
    clusterAuthentication: authorities,
    staticTokens: tokens.authenticators,
    serviceAccounts,
    bootstrapTokens,
    authentication: { ...jwtIssuers, ...(egress && { egress }) },
    tokenAuthenticators: await webhookTokens(options, serviceAccounts.audiences, ports),
    anonymous,
  }
}
