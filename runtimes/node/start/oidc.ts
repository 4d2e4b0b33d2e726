/** JWT issuers from the `--oidc-*` flags. */
import type { AuthenticationSettings, OidcIssuer } from '../../../core/access/authn/configured.ts'
import { authenticationFileConflicts } from '../../../core/flags/file-exclusions.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import type { Egress, Logger } from '../../../core/ports.ts'
import { readFlagFile } from './flag-file.ts'

/** Default prefix: the issuer URL and `#`, except for e-mail addresses, which are unique by themselves; `-` means no prefix. */
function usernamePrefix(prefix: string | undefined, claim: string, issuer: string): string {
  if (prefix === '-') return ''
  return prefix || (claim === 'email' ? '' : `${issuer}#`)
}

function oidcIssuer(flags: ParsedFlags): OidcIssuer | undefined {
  const [url, audience] = [flags.get('oidc-issuer-url'), flags.get('oidc-client-id')]
  if (!url || !audience) return undefined
  const authorities = readFlagFile(flags, 'oidc-ca-file')
  if (authorities !== undefined && !authorities.includes('BEGIN CERTIFICATE'))
    throw new FlagError(
      `${flags.spelling('oidc-ca-file')}: ${flags.get('oidc-ca-file')}: data does not contain any valid RSA or ECDSA certificates`,
    )
  const claim = flags.get('oidc-username-claim')
  const groups = flags.get('oidc-groups-claim') ?? ''
  const none = { claim: '', expression: '' }
  return {
    issuer: {
      url,
      discoveryURL: '',
      certificateAuthority: authorities ?? '',
      audiences: [audience],
      audienceMatchPolicy: '',
      egressSelectorType: '',
    },
    claimValidationRules: [...flags.get('oidc-required-claim')].map(([name, requiredValue]) => ({
      ...none,
      claim: name,
      requiredValue,
      message: '',
    })),
    claimMappings: {
      username: { ...none, claim, prefix: usernamePrefix(flags.get('oidc-username-prefix'), claim, url) },
      groups: { ...none, claim: groups, prefix: groups === '' ? undefined : (flags.get('oidc-groups-prefix') ?? '') },
      uid: none,
      extra: [],
    },
    userValidationRules: [],
    algorithms: flags.get('oidc-signing-algs'),
  }
}

export function authenticationSettings(flags: ParsedFlags, egress: readonly Egress[] | undefined): AuthenticationSettings {
  const configuration = flags.get('authentication-config')
  const oidc = oidcIssuer(flags)
  return {
    ...(configuration && { configuration, conflicts: (file) => authenticationFileConflicts(flags, file) }),
    ...(egress && { egress }),
    ...(oidc && { oidc }),
  }
}

/** Whether anonymous requests are accepted. With AlwaysAllow they are not, with a warning. An authentication file takes precedence. */
export function allowsAnonymous(flags: ParsedFlags, logger: Logger): boolean {
  const allowed = flags.get('anonymous-auth')
  if (!flags.get('authorization-mode').includes('AlwaysAllow')) return allowed
  const [mode, anonymous] = [flags.spelling('authorization-mode'), flags.spelling('anonymous-auth')]
  const beside = allowed && flags.isSet('anonymous-auth') ? `; ${anonymous} has no effect` : ''
  logger.warn(
    {},
    `${mode}=AlwaysAllow: every request with credentials may do everything, and others are refused${beside}; use ${mode}=Node,RBAC for a cluster`,
  )
  return false
}
