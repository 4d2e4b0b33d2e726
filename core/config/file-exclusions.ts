/** Conflicts between flags and contents of configuration files. */
import { oidcTogether } from './combination-rules.ts'
import { oidcFlagsSet } from './exclusions.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { EncryptionConfiguration } from './files/encryption.ts'
import type { ParsedFlags } from './parse.ts'

/** The parts of an AuthenticationConfiguration, possibly invalid, that may conflict with flags. */
export interface AuthenticationContent {
  readonly jwt: readonly unknown[]
  readonly anonymous?: unknown
}

/** Conflicts of the --authentication-config file with flags, one line each. */
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

/** Conflicts of the --encryption-provider-config file with feature gates, one line each. */
export function encryptionFileConflicts(file: EncryptionConfiguration, gates: Pick<FeatureGates, 'enabled'>): readonly string[] {
  const old = file.resources.some(({ providers }) => providers.some(({ kms }) => kms?.apiVersion === 'v1'))
  return old && !gates.enabled('KMSv1')
    ? ['--encryption-provider-config: version v1 of key-management plugins needs --feature-gates=KMSv1=true; v2 is recommended']
    : []
}
