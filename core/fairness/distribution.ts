/** Counts of values by bucket. */
export class Distribution {
  /** Ascending upper bounds, without infinity. */
  readonly bounds: readonly number[]
  /** Values in each bucket; those above the last bound are only in `count`. */
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  add(value: number, times = 1): void {
    const { bounds } = this
    this.sum += value * times
    this.count += times
    for (let index = 0; index < bounds.length; index++) {
      if (value > bounds[index]!) continue
      this.counts[index]! += times
      return
    }
  }
}
