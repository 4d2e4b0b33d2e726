import type { Authorizer } from '../authz/authorizer.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Files, Logger, Outbound } from '../ports.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { PluginConfigurations } from './configuration.ts'
import type { Lookup } from './lookup.ts'
import type { AdmissionObserver } from './observer.ts'

/** Writes that plugins make on their own account: as the server itself, through all of admission; objects of core/v1. What fails rejects with ApiError. */
export interface OwnWrites {
  create(plural: string, object: ApiObject): Promise<ApiObject>
  /** Where the object is still at its resourceVersion. */
  updateStatus(plural: string, object: ApiObject): Promise<ApiObject>
}

/** What plugins decide with. */
export interface PluginContext extends Lookup {
  readonly platform: Platform
  readonly authorizer: Authorizer
  readonly clock: Clock
  readonly outbound: Outbound
  readonly files: Files
  readonly logger: Logger
  readonly write: OwnWrites
  /** Each plugin looks at its own. */
  readonly configuration: PluginConfigurations
  /** Measures webhooks and policies; absent: they are not measured. */
  readonly observer?: AdmissionObserver
  /** The release that this server is, or emulates. */
  readonly release: { readonly minor: number }
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  /** Seconds that pods stay on nodes in trouble, unless they say so themselves. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
}
