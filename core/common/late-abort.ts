/** An AbortController that is created when its signal is read: most servers of a test are closed without. */
export class LateAbort {
  #controller: AbortController | undefined
  #reason: (() => Error) | undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason())
    }
    return this.#controller.signal
  }

  get isAborted(): boolean {
    return this.#reason !== undefined
  }

  /** Only the first call counts. */
  abort(reason: () => Error): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller?.abort(reason())
  }
}
