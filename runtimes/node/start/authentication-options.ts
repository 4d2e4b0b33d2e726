/** Authentication as the flags describe it, as plain data. */
import type { AuthenticationSettings, OidcIssuer } from '../../../core/access/authn/configured.ts'
import { authenticationFileConflicts } from '../../../core/flags/file-exclusions.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import { gatesOfFlags } from '../../../core/flags/gates.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import type { AuthorityOptions } from '../pki/authorities.ts'
import type { ServiceAccountOptions } from '../pki/service-accounts.ts'
import { readFlagFile } from './flag-file.ts'

/** Default prefix: the issuer URL and `#`, except for e-mail addresses, which are unique by themselves; `-` means no prefix. */
function usernamePrefix(prefix: string | undefined, claim: string, issuer: string): string {
  if (prefix === '-') return ''
  return prefix || (claim === 'email' ? '' : `${issuer}#`)
}

/** The JWT issuer of the `--oidc-*` flags. */
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

function jwtIssuers(flags: ParsedFlags): Omit<AuthenticationSettings, 'egress'> {
  const configuration = flags.get('authentication-config')
  const oidc = oidcIssuer(flags)
  return {
    ...(configuration && { configuration, conflicts: (file) => authenticationFileConflicts(flags, file) }),
    ...(oidc && { oidc }),
  }
}

const allowsAll = (flags: ParsedFlags) => flags.get('authorization-mode').includes('AlwaysAllow')

/** The warning that AlwaysAllow deserves, with which anonymous requests are not accepted. */
export function authorizationWarnings(flags: ParsedFlags): readonly string[] {
  if (!allowsAll(flags)) return []
  const [mode, anonymous] = [flags.spelling('authorization-mode'), flags.spelling('anonymous-auth')]
  const beside = flags.get('anonymous-auth') && flags.isSet('anonymous-auth') ? `; ${anonymous} has no effect` : ''
  return [
    `${mode}=AlwaysAllow: every request with credentials may do everything, and others are refused${beside}; use ${mode}=Node,RBAC for a cluster`,
  ]
}

/** CA bundles of client certificates and front proxies. */
const authorityOptions = (flags: ParsedFlags): AuthorityOptions => ({
  clientCaFile: flags.get('client-ca-file'),
  frontProxyCaFile: flags.get('requestheader-client-ca-file'),
  frontProxies: {
    allowedNames: flags.get('requestheader-allowed-names'),
    headers: {
      username: flags.get('requestheader-username-headers'),
      uid: flags.get('requestheader-uid-headers'),
      group: flags.get('requestheader-group-headers'),
      extraPrefix: flags.get('requestheader-extra-headers-prefix'),
    },
  },
})

/** Keys, issuers and limits of service account tokens. */
export const serviceAccountOptions = (flags: ParsedFlags): ServiceAccountOptions => ({
  signer: flags.get('service-account-signing-endpoint'),
  signingKeyFile: flags.get('service-account-signing-key-file'),
  keyFiles: flags.get('service-account-key-file'),
  servingKeyFile: flags.get('tls-private-key-file'),
  issuers: flags.get('service-account-issuer'),
  audiences: flags.get('api-audiences'),
  maxExpiration: flags.get('service-account-max-token-expiration'),
  extend: flags.get('service-account-extend-token-expiration'),
  lookup: flags.get('service-account-lookup'),
  keySetUri: flags.get('service-account-jwks-uri') ?? '',
})

/** Throws a FlagError when the file of an OIDC issuer can't be read. */
export const authenticationOptions = (flags: ParsedFlags) => ({
  platform: flags.platform,
  authorities: authorityOptions(flags),
  tokenFile: flags.get('token-auth-file'),
  webhook: {
    file: flags.get('authentication-token-webhook-config-file'),
    version: flags.get('authentication-token-webhook-version'),
    cacheTtl: flags.get('authentication-token-webhook-cache-ttl'),
  },
  bootstrapTokens: flags.get('enable-bootstrap-token-auth') ?? false,
  jwtIssuers: jwtIssuers(flags),
  /** An authentication file takes precedence. */
  anonymous: flags.get('anonymous-auth') && !allowsAll(flags),
  readsUid: gatesOfFlags(flags).enabled('AllowParsingUserUIDFromCertAuth'),
  serviceAccounts: serviceAccountOptions(flags),
})

export type AuthenticationOptions = ReturnType<typeof authenticationOptions>
