/** A connection with pending output. */
export interface Writer {
  write(): void
}

/** Milliseconds of stream output before other work runs. */
const slice = 5

/**
 * Schedules the output of a listener's connections: responses at the end of each turn of the event loop, then what has come on streams,
 * such as events for watchers. Those are many at a time: after a slice of them, others have their turn, so that one change that thousands
 * watch does not keep requests waiting. Streams that wait for their turn take more at once.
 */
export class Turns {
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
