/** What a start has opened: it is closed in the opposite order, by a failed start as by a shutdown. (Node 20 has no AsyncDisposableStack.) */
export class Opened {
  readonly #closers: (() => void | Promise<void>)[] = []

  /** Remembers how something is closed that was just opened. Calls of `close` after the first one do not repeat it. */
  add(close: () => void | Promise<void>): void {
    this.#closers.push(close)
  }

  /** Closes everything, the last first. What cannot be closed keeps nothing else open; rejects with the first such error. */
  async close(): Promise<void> {
    const errors: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
