/** Requests that are being answered, of one of many servers in the process. */
import { entityTooLarge, tooManyRequests } from '../../core/answers/status.ts'
import type { Connection } from '../../core/ports.ts'

export interface RequestLimits {
  /** Requests at a time, watches included. */
  readonly requestsInFlight: number
  /** Bytes of a request's body, as its head says. */
  readonly requestBytes: number
}

export class InFlight {
  readonly #what: string
  readonly #left: () => void
  #count = 0

  /** `what`: the server in errors, such as `branch`. `left`: called at the end of each request. */
  constructor(what: string, left = () => {}) {
    this.#what = what
    this.#left = left
  }

  get count(): number {
    return this.#count
  }

  /** Lets a request be answered. It counts until the response has been sent. Rejects with an ApiError when it is too much, and as `answer` does. */
  async answer(
    request: Request,
    connection: Connection | undefined,
    { requestsInFlight, requestBytes }: RequestLimits,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    if (this.#count >= requestsInFlight)
      throw tooManyRequests(`too many requests of this ${this.#what} at a time: the limit is ${requestsInFlight}`, 1)
    if (Number(request.headers.get('content-length') ?? 0) > requestBytes) throw entityTooLarge(requestBytes)
    this.#count++
    let isSent = false
    try {
      const response = await answer()
      isSent = connection?.whenSent !== undefined
      connection?.whenSent?.(response, this.#leave)
      return response
    } finally {
      if (!isSent) this.#leave()
    }
  }

  /** Counts work that is no request. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  readonly #leave = () => {
    this.#count--
    this.#left()
  }
}
