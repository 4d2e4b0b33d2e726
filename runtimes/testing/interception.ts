/** Interceptors: a test's code between clients and the server. */
import type { Connection } from '../../core/ports.ts'

type Handle = (request: Request, connection: Connection) => Promise<Response>

/** Returns a response, or passes the request (or a modified one) to `next`. */
export type Interceptor = (request: Request, next: (request: Request) => Promise<Response>) => Response | Promise<Response>

/** The interceptors of a server. */
export class Interception {
  #interceptors: readonly Interceptor[] = []

  /** Adds an interceptor in front of the others. The returned function removes it. */
  add(interceptor: Interceptor): () => void {
    this.#interceptors = [interceptor, ...this.#interceptors]
    return () => {
      this.#interceptors = this.#interceptors.filter((each) => each !== interceptor)
    }
  }

  /** Whether there are interceptors, which want built-in requests. */
  get isActive(): boolean {
    return this.#interceptors.length > 0
  }

  wrap(handle: Handle): Handle {
    return async (request, connection) => {
      const pending = this.#interceptors
      if (pending.length === 0) return handle(request, connection)
      // An interceptor may drop the server's response, which then is never sent. The object identifies the users of calls in this process.
      const { whenSent, ...rest } = connection
      const facts = whenSent ? rest : connection
      const ask = async (from: number, asked: Request): Promise<Response> =>
        pending[from]?.(asked, (next) => ask(from + 1, next)) ?? handle(asked, facts)
      return ask(0, request)
    }
  }
}
