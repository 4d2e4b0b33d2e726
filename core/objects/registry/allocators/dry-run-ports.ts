/** Ports of a dry run: it allocates none, and shows numbers above the usual ranges in place of what a write would get. */
import { alreadyAllocated } from './allocation-error.ts'
import type { PortSource } from './port-set.ts'

/** The lowest number that stands for an allocated port. */
const firstShown = 32_769

/** Takes any number, within the range or not, unless it is taken. */
export function dryRunPorts(allocated: ReadonlySet<number>): PortSource {
  const taken = new Set<number>()
  let next = firstShown
  return {
    take(port) {
      if (allocated.has(port) || taken.has(port)) throw alreadyAllocated()
      taken.add(port)
      next = taken.size === 1 ? port + 1 : Math.max(next, port + 1)
    },
    takeAny() {
      const port = next++
      taken.add(port)
      return port
    },
  }
}
