/** How flags and their files say that requests are authenticated. */
import type { TokenAuthenticator } from '../../core/authn/authenticator.ts'
import { createTokenFile } from '../../core/authn/token-file.ts'
import { x509Authenticator } from '../../core/authn/x509.ts'
import type { ParsedFlags } from '../../core/config/parse.ts'
import type { Ports } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { readFlagFile, readPath } from './flag-file.ts'

/** Issuer of a cluster's own tokens, when no flag names one. */
const defaultIssuer = 'https://apiserver.default.svc.cluster.local'

/** Client certificates and tokens as flags select them, and the keys of service accounts. */
export async function authenticationOptions(
  flags: ParsedFlags,
  clientAuthorities: readonly string[],
  serviceAccountKey: string,
  ports: Ports,
): Promise<Pick<ServerOptions, 'authenticators' | 'tokens' | 'serviceAccounts'>> {
  const { clock, telemetry } = ports
  const tokens: TokenAuthenticator[] = []
  const tokenFile = flags.get('token-auth-file')
  if (tokenFile) {
    const { authenticator, warnings } = await createTokenFile(readPath('token-auth-file', tokenFile), tokenFile)
    for (const warning of warnings) telemetry.logger.warn({}, warning)
    tokens.push(authenticator)
  }
  const signingKey = readFlagFile(flags, 'service-account-signing-key-file') ?? serviceAccountKey
  const keyFiles = flags.get('service-account-key-file').map((path) => readPath('service-account-key-file', path))
  const [first = defaultIssuer, ...others] = flags.get('service-account-issuer')
  const audiences = flags.get('api-audiences')
  return {
    authenticators: [x509Authenticator({ certificateAuthorities: clientAuthorities, platform: flags.platform, clock })],
    tokens,
    serviceAccounts: {
      signingKey,
      verificationKeys: keyFiles.length > 0 ? keyFiles : [signingKey],
      issuers: [first, ...others],
      audiences: audiences.length > 0 ? audiences : [first],
      maxSeconds: (flags.get('service-account-max-token-expiration') ?? 0) / 1000,
      extend: flags.get('service-account-extend-token-expiration'),
    },
  }
}
