/**
 * Features: code that only some options and ports need, and that comes from who makes the server. A bundle for an edge runtime, which is
 * bounded in size, has those that it uses.
 */
import type { configuredAuthentication } from '../../access/authn/file/authenticators.ts'
import type { AuthorizationRows } from '../../access/authz/configured.ts'
import type { loadPluginConfigurations } from '../../admission/file/load.ts'
import type { createEncryption } from '../../encryption/configured.ts'
import type { BeginSpan } from '../../filters/tracing.ts'
import type { FixedPath } from '../../meta/fixed-request.ts'
import { OptionError } from '../../options/validate.ts'
import type { Telemetry } from '../../ports.ts'
import type { Connections } from '../../verbs/actions/action.ts'
import type { createAudit } from '../audit.ts'
import type { DebugOptions } from '../debug.ts'

export interface Features {
  /** Encryption at rest: option `encryption`. */
  readonly encryption: typeof createEncryption
  /** Issuers of JSON web tokens: option `authentication`. */
  readonly authentication: typeof configuredAuthentication
  /** Webhooks and configuration files of authorization: option `authorizationFiles`. */
  readonly authorization: () => Promise<AuthorizationRows>
  /** Configuration files of admission plugins: option `admissionFile`. */
  readonly admission: typeof loadPluginConfigurations
  /** Audit: options `auditPolicy` and `auditPolicyFile`. */
  readonly audit: typeof createAudit
  /** Spans: port `telemetry.tracer`. */
  readonly tracing: (tracer: NonNullable<Telemetry['tracer']>) => Promise<BeginSpan>
  /** Requests to nodes, pods and services. Absent: they are refused. */
  readonly connections: Connections
  /** Paths below `/debug/`. Absent: there are none. */
  readonly debug: (options: DebugOptions) => readonly FixedPath[]
}

/** The feature that an option needs. Throws an OptionError when the server is made without it. */
export function featureFor<Name extends keyof Features>(features: Partial<Features>, name: Name, option: string): Features[Name] {
  const found = features[name]
  if (found === undefined) throw new OptionError('createApiServer', [{ at: option, message: 'this server is made without what it needs' }])
  return found
}
