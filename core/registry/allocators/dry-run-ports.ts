/** Ports of a dry run: it allocates none, and shows numbers above the usual ranges in place of what a write would get. */
import { alreadyAllocated } from './allocation-error.ts'
import type { PortSource } from './port-set.ts'

/** The lowest number that stands for an allocated port. */
const firstShown = 32_769

/** Takes any number, within the range or not, unless it is taken. */
export function dryRunPorts(allocated: ReadonlySet<number>): PortSource {
  const taken: number[] = []
  return {
    take(port) {
      if (allocated.has(port) || taken.includes(port)) throw alreadyAllocated()
      taken.push(port)
    },
    takeAny() {
      const port = taken.length === 0 ? firstShown : Math.max(...taken) + 1
      taken.push(port)
      return port
    },
  }
}
