import { createPlatform } from '../../core/platform.ts'
import type { HookContext } from '../../core/schema/model.ts'

/** What hooks get to know in tests: the start of the epoch, privileged containers allowed, every gate on but those named. */
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
