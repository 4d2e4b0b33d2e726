import type { Clock, Logger, StoreError } from '../../../core/ports.ts'

/** Milliseconds between two log lines about failing writes. */
const interval = 60_000

const advice: { readonly [code: string]: string } = {
  'no-space': 'no space left for the log: writes fail with 507; free space or raise the limit of the file system',
}
const otherAdvice = 'the log cannot be written: writes fail with 503; check the disk'

/** Logs failing writes: at most one line a minute, and one more when writes succeed again. */
export class FailedWrites {
  readonly #logger: Logger
  readonly #clock: Clock
  #next = 0
  /** The last line was about a failure. */
  #failing = false
  /** Failures since the last line about a success, and since the last line. */
  #failures = 0
  #unsaid = 0

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger
    this.#clock = clock
  }

  /** `writes`: writes that failed together. */
  failed(file: string, { code, message }: StoreError, writes: number): void {
    this.#failures += writes
    this.#unsaid += writes
    const now = this.#clock.monotonic()
    if (now < this.#next) return
    this.#next = now + interval
    this.#failing = true
    this.#logger.error({ file, error: message, refused: this.#unsaid }, advice[code] ?? otherAdvice)
    this.#unsaid = 0
  }

  succeeded(): void {
    if (!this.#failing) return
    this.#failing = false
    this.#logger.info({ refused: this.#failures }, 'writes to the log succeed again')
    this.#failures = 0
    this.#unsaid = 0
  }
}
