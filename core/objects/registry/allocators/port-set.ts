/** The ports of a range, taken or free. */
import { AllocationError, alreadyAllocated } from './allocation-error.ts'

/** Both ends are inclusive. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

const smallest = 16
const maxBand = 128
const bandShare = 32

/** Size of the lower band, which is allocated last: a 32nd of the range, between 16 and 128; none for small ranges (KEP-3668). */
function bandOf(size: number): number {
  return size <= smallest ? 0 : Math.min(Math.max(Math.floor(size / bandShare), smallest), maxBand)
}

/** Takes ports: of a range, or for a dry run. */
export interface PortSource {
  /** Throws AllocationError when the port is not available. */
  take(port: number): void
  /** Any free port. Throws AllocationError when none is left. */
  takeAny(): number
}

export class PortSet implements PortSource {
  readonly range: PortRange
  readonly #taken: Set<number>

  constructor(range: PortRange, taken: Iterable<number> = []) {
    this.range = range
    this.#taken = new Set(taken)
  }

  get taken(): ReadonlySet<number> {
    return this.#taken
  }

  holds(port: number): boolean {
    return port >= this.range.from && port <= this.range.to
  }

  /** Throws AllocationError when the port is taken or outside of the range. */
  take(port: number): void {
    const { from, to } = this.range
    if (!this.holds(port)) throw new AllocationError(`provided port is not in the valid range. The range of valid ports is ${from}-${to}`)
    if (this.#taken.has(port)) throw alreadyAllocated()
    this.#taken.add(port)
  }

  /** Allocates a free port: from the upper band at a random offset, or else from the lower band. Throws AllocationError when none is left. */
  takeAny(): number {
    const { from, to } = this.range
    const middle = from + bandOf(to - from + 1)
    const port = this.#free(middle, to) ?? this.#free(from, middle - 1)
    if (port === undefined) throw new AllocationError('range is full')
    this.#taken.add(port)
    return port
  }

  #free(from: number, to: number): number | undefined {
    const count = to - from + 1
    const start = count > 0 ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % count : 0
    for (let step = 0; step < count; step++) {
      const port = from + ((start + step) % count)
      if (!this.#taken.has(port)) return port
    }
    return undefined
  }

  release(port: number): void {
    this.#taken.delete(port)
  }
}
