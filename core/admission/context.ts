import type { Authorizer } from '../access/authz/authorizer.ts'
import type { Reports } from '../config/reload-metrics.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Files, Logger, Outbound, SharedLimits } from '../ports.ts'
import type { Release } from '../release.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { PluginConfigurations } from './configuration.ts'
import type { Lookup } from './lookup.ts'
import type { AdmissionMetrics } from './metrics.ts'

/** Writes by plugins: with the server's own identity, through all of admission; objects of core/v1. Failures reject with ApiError. */
export interface OwnWrites {
  create(plural: string, object: ApiObject): Promise<ApiObject>
  /** Requires the object's resourceVersion to be current. */
  updateStatus(plural: string, object: ApiObject): Promise<ApiObject>
}

/** Dependencies of plugins. */
export interface PluginContext extends Lookup {
  readonly platform: Platform
  readonly authorizer: Authorizer
  readonly clock: Clock
  /** Rate limits that several servers have together; default: the server has its own. */
  readonly limits?: SharedLimits | undefined
  readonly outbound: Outbound
  readonly files: Files
  readonly logger: Logger
  readonly write: OwnWrites
  /** Each plugin reads its own entry. */
  readonly configuration: PluginConfigurations
  /** Default: nothing is counted. */
  readonly metrics?: AdmissionMetrics
  /** What becomes of a plugin's folder of manifests, by its hash. Default: nothing is counted. */
  readonly manifests?: (plugin: string) => Reports<string>
  /** Release of this server, or the emulated one. */
  readonly release: Release
  /** Webhooks are called as for dry runs. Default false. */
  readonly dryRunWebhooks?: boolean
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  /** Default toleration seconds of pods for not-ready and unreachable nodes. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
}
