/** Combinations of flags with what configuration files say. */
import { oidcTogether } from './combination-rules.ts'
import { oidcFlagsSet } from './exclusions.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { EncryptionConfiguration } from './files/encryption.ts'
import type { ParsedFlags } from './parse.ts'

/** What a file of kind AuthenticationConfiguration configures at all, right or wrong. */
export interface AuthenticationContent {
  readonly jwt: readonly unknown[]
  readonly anonymous?: unknown
}

/** What of the file of --authentication-config another flag decides already, one line each. */
export function authenticationFileConflicts(flags: ParsedFlags, file: AuthenticationContent): readonly string[] {
  const exclusive = (flag: string, field: string) =>
    `--authentication-config and ${flag} are mutually exclusive when the file configures ${field}`
  return [
    ...(file.jwt.length > 0
      ? oidcFlagsSet(flags).map((name) => exclusive(flags.spelling(name), 'jwt'))
      : [oidcTogether(flags) ?? []].flat()),
    ...(file.anonymous !== undefined && flags.isSet('anonymous-auth') ? [exclusive(flags.spelling('anonymous-auth'), 'anonymous')] : []),
  ]
}

/** What of the file of --encryption-provider-config the feature gates rule out, one line each. */
export function encryptionFileConflicts(file: EncryptionConfiguration, gates: Pick<FeatureGates, 'enabled'>): readonly string[] {
  const old = file.resources.some(({ providers }) => providers.some(({ kms }) => kms?.apiVersion === 'v1'))
  return old && !gates.enabled('KMSv1')
    ? ['--encryption-provider-config: version v1 of key-management plugins needs --feature-gates=KMSv1=true; v2 is recommended']
    : []
}
