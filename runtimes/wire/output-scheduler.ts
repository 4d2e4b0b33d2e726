/** A connection with pending output. */
export interface Writer {
  write(): void
}

/** Milliseconds of stream output before other work runs. */
const slice = 5

/**
 * Schedules the output of a listener's connections: responses at the end of each turn of the event loop, then data of streams, such as watch
 * events. One change may have thousands of watchers: stream output runs in time slices, so that it does not delay requests. Streams that wait
 * for their slice then send more data at once.
 */
export class OutputScheduler {
  #answers: Writer[] = []
  /** In order of arrival. */
  readonly #streams = new Set<Writer>()
  #scheduled = false

  /** Schedules a writer at the end of this turn. */
  soon(writer: Writer): void {
    this.#answers.push(writer)
    this.#schedule()
  }

  /** Schedules a writer after all responses; repeated requests count once. */
  later(writer: Writer): void {
    this.#streams.add(writer)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#run)
  }

  readonly #run = (): void => {
    this.#scheduled = false
    const answers = this.#answers
    this.#answers = []
    for (const writer of answers) writer.write()
    if (this.#streams.size === 0) return
    const until = performance.now() + slice
    for (const writer of this.#streams) {
      this.#streams.delete(writer)
      writer.write()
      if (performance.now() >= until) break
    }
    if (this.#streams.size > 0) this.#schedule()
  }
}
