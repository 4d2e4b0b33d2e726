import type { Clock } from '../../../core/ports.ts'

/** Milliseconds. etcd refuses clients that ping more often than every five seconds, or when they have no call under way. */
const pingInterval = 10_000
const pingTimeout = 5_000

export interface Pinged {
  /** True while calls are in flight. */
  busy(): boolean
  ping(): void
  /** The peer did not acknowledge a ping. */
  dead(): void
}

/** Detects unreachable peers with pings. */
export class KeepAlive {
  readonly #clock: Clock
  readonly #pinged: Pinged
  #cancelPing: (() => void) | undefined
  #cancelTimeout: (() => void) | undefined

  constructor(clock: Clock, pinged: Pinged) {
    this.#clock = clock
    this.#pinged = pinged
  }

  /** Continues while calls are in flight. */
  start(): void {
    this.#cancelPing ??= this.#clock.after(pingInterval, () => this.#ping())
  }

  answered(): void {
    this.#cancelTimeout?.()
    this.#cancelTimeout = undefined
  }

  stop(): void {
    this.answered()
    this.#cancelPing?.()
  }

  #ping(): void {
    this.#cancelPing = undefined
    if (!this.#pinged.busy()) return
    this.#cancelTimeout = this.#clock.after(pingTimeout, () => this.#pinged.dead())
    this.#pinged.ping()
    this.start()
  }
}
