import type { AllocationScope } from './metrics.ts'
import type { PortSource } from './port-set.ts'

/** A source of ports that notes what is taken from it. */
export interface CountedPorts extends PortSource {
  readonly taken: readonly AllocationScope[]
  /** How the port was asked for that was not available. */
  readonly failed: AllocationScope | undefined
}

export function countedPorts(source: PortSource): CountedPorts {
  const taken: AllocationScope[] = []
  let failed: AllocationScope | undefined
  function noted<T>(scope: AllocationScope, take: () => T): T {
    try {
      const result = take()
      taken.push(scope)
      return result
    } catch (error) {
      failed = scope
      throw error
    }
  }
  return {
    taken,
    get failed() {
      return failed
    },
    take: (port) => noted('static', () => source.take(port)),
    takeAny: () => noted('dynamic', () => source.takeAny()),
  }
}
