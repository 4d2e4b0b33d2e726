/** Seconds after which refused clients should try again: more while a level keeps refusing (apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go). */
const maxSeconds = 32

export class RetryAfter {
  #seconds = 1
  #raised = Number.NEGATIVE_INFINITY
  /** Refusals of the current second. */
  #current = { second: Number.NEGATIVE_INFINITY, refused: 0 }
  #history: { readonly second: number; readonly refused: number }[] = []

  /** Counts a refusal; `now` in milliseconds of the monotonic clock. Returns the seconds to wait. */
  refuse(now: number): number {
    const second = Math.floor(now / 1000)
    if (this.#current.second === second) {
      this.#current.refused++
      return this.#seconds
    }
    const kept = Math.min(2 * this.#seconds, maxSeconds)
    this.#history = [...this.#history, this.#current].filter((each) => second - each.second <= kept)
    this.#current = { second, refused: 1 }
    this.#adapt(second)
    return this.#seconds
  }

  /** Doubles the wait after many refusals during it, at most once per wait; shortens it after few. */
  #adapt(second: number): void {
    const recent = this.#history.filter((each) => second - each.second <= this.#seconds)
    const refused = recent.reduce((sum, each) => sum + each.refused, 0)
    if (second - this.#raised >= this.#seconds && refused >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, maxSeconds)
      this.#raised = second
    } else if (refused < this.#seconds && this.#seconds > 1) this.#seconds--
  }
}
