/** Conflicts between flags and contents of configuration files. */
import type { AuthenticationContent } from '../access/authn/configured.ts'
import { oidcTogether } from './combination-rules.ts'
import { oidcFlagsSet } from './exclusions.ts'
import type { ParsedFlags } from './parse.ts'

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
