/** Values below this one take no memory beyond the object's own. */
const fewValues = 8

/** How long a small whole number had each of its values. Cheap to change; distributions and moments are computed when they are read. */
export class Dwell {
  value = 0
  /** The largest value since the last `restart`. */
  highest = 0
  /** Milliseconds by value, since they were last taken. Not a list: the engine takes several times as long to read one that has gaps. */
  #times = new Float64Array(fewValues)
  #since: number

  /** `now`: milliseconds of the monotonic clock. */
  constructor(now: number) {
    this.#since = now
  }

  set(value: number, now: number): void {
    this.#times[this.value]! += now - this.#since
    this.#since = now
    this.value = value
    if (value <= this.highest) return
    this.highest = value
    if (value >= this.#times.length) this.#grow(value)
  }

  /** Reports the milliseconds of each value since they were last reported. */
  take(now: number, report: (value: number, milliseconds: number) => void): void {
    this.set(this.value, now)
    const times = this.#times
    for (let value = 0; value < times.length; value++) {
      const milliseconds = times[value] as number
      if (milliseconds <= 0) continue
      times[value] = 0
      report(value, milliseconds)
    }
  }

  restart(): void {
    this.highest = this.value
  }

  #grow(value: number): void {
    const times = new Float64Array(2 * value)
    times.set(this.#times)
    this.#times = times
  }
}
