/** Collects what is to be sent, and sends it at the end of the turn. */
export class Outbox<T> {
  readonly #send: (items: readonly T[]) => void
  readonly #atTurnsEnd: (send: () => void) => void
  #items: T[] = []

  /** `atTurnsEnd`: calls back when the current turn of the event loop has been worked off. */
  constructor(send: (items: readonly T[]) => void, atTurnsEnd: (send: () => void) => void) {
    this.#send = send
    this.#atTurnsEnd = atTurnsEnd
  }

  add(item: T): void {
    if (this.#items.push(item) === 1) this.#atTurnsEnd(() => this.#flush())
  }

  #flush(): void {
    const items = this.#items
    this.#items = []
    this.#send(items)
  }
}
