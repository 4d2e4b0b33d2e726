/** Authentication options from flags and their files. */
import type { TokenAuthenticator } from '../../../core/access/authn/authenticator.ts'
import { certificateRows } from '../../../core/access/authn/certificate/metrics.ts'
import { x509Authenticator } from '../../../core/access/authn/certificate/x509.ts'
import { requestHeaderAuthenticator } from '../../../core/access/authn/request-header.ts'
import { followTokenFile } from '../../../core/access/authn/token-file.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import { gatesOfFlags } from '../../../core/flags/gates.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import type { MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import type { Egress, HostPorts } from '../../../core/ports.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { reasonOf } from '../../atomic-file.ts'
import type { ClientAuthorities } from '../pki/authorities.ts'
import { serviceAccountKeys } from '../pki/service-accounts.ts'
import { readPath } from './flag-file.ts'
import { allowsAnonymous, authenticationSettings } from './oidc.ts'

/** Users of the token file, which is read again when it changes until `close`. */
export interface StaticTokens {
  readonly authenticators: readonly TokenAuthenticator[]
  close(): void
}

export async function staticTokens(flags: ParsedFlags, ports: HostPorts): Promise<StaticTokens> {
  const path = flags.get('token-auth-file')
  if (!path) return { authenticators: [], close() {} }
  const { authenticator, close } = await followTokenFile(path, readPath('token-auth-file', path), ports).catch((error: unknown) => {
    throw new FlagError(`--token-auth-file: ${reasonOf(error)}`)
  })
  return { authenticators: [authenticator], close }
}

async function webhookTokens(flags: ParsedFlags, audiences: readonly string[], ports: HostPorts): Promise<TokenAuthenticator[]> {
  const path = flags.get('authentication-token-webhook-config-file')
  if (!path) return []
  const [{ loadConnectionFile }, webhook] = await Promise.all([
    import('../../../core/outgoing/webhook/connection-file.ts'),
    import('../../../core/access/authn/webhook-token.ts'),
  ])
  const connection = await loadConnectionFile(path, ports, 'controlplane').catch((error: unknown) => {
    throw new FlagError(`--authentication-token-webhook-config-file: ${reasonOf(error)}`)
  })
  const settings = {
    connection,
    audiences,
    version: flags.get('authentication-token-webhook-version'),
    cacheTtl: flags.get('authentication-token-webhook-cache-ttl'),
  }
  return [webhook.webhookTokens(settings, { ...ports, logger: ports.telemetry.logger, platform: flags.platform })]
}

type AuthenticationOptions = Pick<
  ServerOptions,
  | 'anonymous'
  | 'authentication'
  | 'authenticators'
  | 'bootstrapTokens'
  | 'clusterAuthentication'
  | 'serviceAccounts'
  | 'staticTokens'
  | 'tokenAuthenticators'
>

/** Reads all authentication flags and files. `egress`: traffic classes with an egress selection. Rejects with an Error that names flag and file. */
export async function authenticationOptions(
  flags: ParsedFlags,
  authorities: ClientAuthorities,
  tokens: StaticTokens,
  serviceAccountKey: string,
  ports: HostPorts,
  metrics: MetricsRegistry,
  egress: readonly Egress[] | undefined,
): Promise<AuthenticationOptions> {
  const { clock, telemetry } = ports
  const serviceAccounts = await serviceAccountKeys(flags, serviceAccountKey, ports, metrics)
  const { remaining } = metrics.record(certificateRows)
  const observer = (milliseconds: number) => remaining.observe([], milliseconds / 1000)
  const readsUid = gatesOfFlags(flags).enabled('AllowParsingUserUIDFromCertAuth')
  return {
    authenticators: [
      ...(authorities.frontProxies ? [requestHeaderAuthenticator(authorities.frontProxies, clock)] : []),
      x509Authenticator({ authorities: authorities.client, platform: flags.platform, clock, observer, readsUid }),
    ],
    clusterAuthentication: authorities,
    staticTokens: tokens.authenticators,
    serviceAccounts,
    bootstrapTokens: flags.get('enable-bootstrap-token-auth') ?? false,
    authentication: authenticationSettings(flags, egress),
    tokenAuthenticators: await webhookTokens(flags, serviceAccounts.audiences, ports),
    anonymous: allowsAnonymous(flags, telemetry.logger),
  }
}
