import type { Platform } from '../platform.ts'
import type { Clock } from '../ports.ts'
import type { ClusterSettings, HookContext } from './model.ts'

/** The server's names, settings and clock, which hooks of kinds get too. */
export interface Cluster {
  readonly platform: Platform
  readonly settings: ClusterSettings
  readonly clock: Clock
}

export function hookContext({ platform, settings, clock }: Cluster): HookContext {
  return { platform, settings, now: clock.now() }
}
