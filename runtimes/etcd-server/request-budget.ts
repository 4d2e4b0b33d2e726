/** What one request has of the budget. */
export interface Share {
  readonly isGranted: boolean
  /** The whole request has come: it counts whether there is room for it or not. */
  arrived(): void
  /** The request is answered, or its client has left. */
  release(): void
}

interface Asked {
  readonly bytes: number
  readonly granted: () => void
  isGranted: boolean
}

/**
 * Bounds the bytes of large requests that are received or worked on, in sum over all connections. Beyond it, requests wait in the order in which
 * they began, and flow control holds their clients back. A request that is granted has room until it is answered, so that none waits for a part.
 */
export class RequestBudget {
  readonly #maxBytes: number
  #bytes = 0
  readonly #waiting = new Set<Asked>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** True while requests wait. */
  get isContended(): boolean {
    return this.#waiting.size > 0
  }

  /** `granted` is called when the request may be read, which may be before this returns. */
  ask(bytes: number, granted: () => void): Share {
    const asked: Asked = { bytes, granted, isGranted: false }
    let isOver = false
    this.#waiting.add(asked)
    this.#grant()
    return {
      get isGranted() {
        return asked.isGranted
      },
      arrived: () => {
        if (this.#waiting.delete(asked)) this.#count(asked)
      },
      release: () => {
        if (isOver) return
        isOver = true
        if (asked.isGranted) this.#bytes -= bytes
        this.#waiting.delete(asked)
        this.#grant()
      },
    }
  }

  /** A request that is larger than the budget is granted alone. */
  #grant(): void {
    for (const asked of this.#waiting) {
      if (this.#bytes > 0 && this.#bytes + asked.bytes > this.#maxBytes) break
      this.#waiting.delete(asked)
      this.#count(asked)
      asked.granted()
    }
  }

  #count(asked: Asked): void {
    asked.isGranted = true
    this.#bytes += asked.bytes
  }
}
