/** Minimum rate: bytes that a peer must transfer per interval in milliseconds while the server waits for it. */
export interface Rate {
  readonly bytes: number
  readonly milliseconds: number
}

/** Measures a peer's rate at periodic checks. */
export class Pace {
  readonly #rate: Rate
  #since: number | undefined
  #bytes = 0

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Whether the peer is slower than the minimum rate. `moved`: total bytes transferred so far. */
  tooSlow(now: number, moved: number): boolean {
    if (this.#since === undefined || moved - this.#bytes >= this.#rate.bytes) {
      this.#since = now
      this.#bytes = moved
    }
    return now - this.#since >= this.#rate.milliseconds
  }

  /** Resets the measurement: the server is not waiting for the peer. */
  rest(): void {
    this.#since = undefined
  }
}
