/** All flags, in groups and in the order of the documentation. */
import type { Flag } from '../flag.ts'
import { admissionFlags } from './admission.ts'
import { auditLogFlags } from './audit-log.ts'
import { auditWebhookFlags } from './audit-webhook.ts'
import { authenticationFlags } from './authentication.ts'
import { authorizationFlags } from './authorization.ts'
import { lifecycleFlags } from './lifecycle.ts'
import { limitFlags } from './limits.ts'
import { persistenceFlags } from './persistence.ts'
import { programFlags } from './program.ts'
import { runtimeFlags } from './runtime.ts'
import { servingFlags } from './serving.ts'
import { tlsFlags } from './tls.ts'
import { versioningFlags } from './versioning.ts'

export interface FlagGroup {
  readonly title: string
  readonly flags: { readonly [name: string]: Flag }
}

export const flagGroups: readonly FlagGroup[] = [
  { title: 'Serving and networking', flags: servingFlags },
  { title: 'Admission', flags: admissionFlags },
  { title: 'Persistence', flags: persistenceFlags },
  { title: 'Runtime, metrics, logging, diagnostics', flags: runtimeFlags },
  { title: 'Authentication', flags: authenticationFlags },
  { title: 'Authorization', flags: authorizationFlags },
  { title: 'Transport security', flags: tlsFlags },
  { title: 'Audit log', flags: auditLogFlags },
  { title: 'Audit webhook', flags: auditWebhookFlags },
  { title: 'Life cycle', flags: lifecycleFlags },
  { title: 'Limits', flags: limitFlags },
  { title: 'Versioning', flags: versioningFlags },
  { title: 'Program', flags: programFlags },
]

export const flags = {
  ...servingFlags,
  ...admissionFlags,
  ...persistenceFlags,
  ...runtimeFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...tlsFlags,
  ...auditLogFlags,
  ...auditWebhookFlags,
  ...lifecycleFlags,
  ...limitFlags,
  ...versioningFlags,
  ...programFlags,
}

export type Flags = typeof flags
export type FlagName = keyof Flags
/** Value type of a flag. */
export type FlagValue<N extends FlagName> = Flags[N] extends Flag<infer V> ? V : never

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(flags, name)
}
