import type { Authorizer } from '../authz/authorizer.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Files, Logger, Outbound } from '../ports.ts'
import type { PluginConfigurations } from './configuration.ts'
import type { Lookup } from './lookup.ts'

/** What plugins decide with. */
export interface PluginContext extends Lookup {
  readonly platform: Platform
  readonly authorizer: Authorizer
  readonly clock: Clock
  readonly outbound: Outbound
  readonly files: Files
  readonly logger: Logger
  /** Each plugin looks at its own. */
  readonly configuration: PluginConfigurations
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  /** Seconds that pods stay on nodes in trouble, unless they say so themselves. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
}
