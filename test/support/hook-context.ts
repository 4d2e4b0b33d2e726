import { createPlatform } from '../../core/platform.ts'
import type { HookContext } from '../../core/schema/model.ts'

/** The context of hooks in tests: time 0, privileged containers allowed, all gates enabled except `disabled`. */
export function hookContext({ now = 0, disabled = [], allowPrivileged = true }: Partial<Given> = {}): HookContext {
  return {
    platform: createPlatform(),
    settings: { allowPrivileged, garbageCollection: true, enabled: (gate) => !disabled.includes(gate) },
    now,
  }
}

interface Given {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly disabled: readonly string[]
  readonly allowPrivileged: boolean
}
