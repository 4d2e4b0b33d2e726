import { parseAddress } from '../../../schema/formats/ip.ts'
import type { AddressRange } from './address-range.ts'
import type { AllocationMetrics } from './metrics.ts'

/**
 * How many addresses of each range are taken: counted when allocations are compared with services, and in between by what this server allocates
 * and releases.
 */
export class UsedAddresses {
  readonly #metrics: AllocationMetrics
  #ranges: readonly AddressRange[] = []
  readonly #taken = new Map<string, number>()

  constructor(metrics: AllocationMetrics) {
    this.#metrics = metrics
  }

  /** Sets the ranges. */
  of(ranges: readonly AddressRange[]): void {
    this.#ranges = ranges
  }

  /** Sets the addresses that are taken. */
  count(addresses: readonly string[]): void {
    this.#taken.clear()
    for (const range of this.#ranges) this.#change(range, 0)
    for (const address of addresses) this.#add(address, 1)
  }

  take(address: string): void {
    this.#add(address, 1)
  }

  release(address: string): void {
    this.#add(address, -1)
  }

  #add(text: string, amount: number): void {
    const address = parseAddress(text)
    const range = address && this.#ranges.find((each) => each.contains(address))
    if (range !== undefined) this.#change(range, amount)
  }

  #change({ text, size }: AddressRange, amount: number): void {
    const taken = Math.max(0, (this.#taken.get(text) ?? 0) + amount)
    this.#taken.set(text, taken)
    this.#metrics.takenAddresses.set([text], taken)
    this.#metrics.freeAddresses.set([text], Math.max(0, size - taken))
  }
}
