import type { Authorizer } from '../authz/authorizer.ts'
import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { Lookup } from './lookup.ts'

/** What plugins decide with. */
export interface PluginContext extends Lookup {
  readonly platform: Platform
  readonly authorizer: Authorizer
  readonly clock: Clock
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  /** How long pods stay on nodes in trouble, when they don't say so themselves. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
}
