/** How long a small whole number had each of its values. Cheap to change; distributions and moments are computed when they are read. */
export class Dwell {
  value = 0
  /** The largest value since the last `restart`. */
  highest = 0
  /** Milliseconds by value, since they were last taken. */
  #times: number[] = []
  #since: number

  /** `now`: milliseconds of the monotonic clock. */
  constructor(now: number) {
    this.#since = now
  }

  set(value: number, now: number): void {
    const before = this.value
    this.#times[before] = (this.#times[before] ?? 0) + (now - this.#since)
    this.#since = now
    this.value = value
    if (value > this.highest) this.highest = value
  }

  /** Reports the milliseconds of each value since they were last reported. */
  take(now: number, report: (value: number, milliseconds: number) => void): void {
    this.set(this.value, now)
    const times = this.#times
    this.#times = []
    times.forEach((milliseconds, value) => {
      if (milliseconds > 0) report(value, milliseconds)
    })
  }

  restart(): void {
    this.highest = this.value
  }
}
