/** Interceptors: a test's code between clients and the server. */
import type { Connection } from '../../core/ports.ts'

type Handle = (request: Request, connection: Connection) => Promise<Response>

/** Returns a response, or passes the request (or a modified one) to `next`. */
export type Interceptor = (request: Request, next: (request: Request) => Promise<Response>) => Response | Promise<Response>

export interface Interception {
  /** Adds an interceptor in front of the others. The returned function removes it. */
  add(interceptor: Interceptor): () => void
  wrap(handle: Handle): Handle
  /** Whether there are interceptors, which want built-in requests. */
  readonly isActive: boolean
}

export function createInterception(): Interception {
  let interceptors: readonly Interceptor[] = []
  return {
    add(interceptor) {
      interceptors = [interceptor, ...interceptors]
      return () => {
        interceptors = interceptors.filter((each) => each !== interceptor)
      }
    },
    get isActive() {
      return interceptors.length > 0
    },
    wrap: (handle) => async (request, connection) => {
      const pending = interceptors
      if (pending.length === 0) return handle(request, connection)
      // An interceptor may drop the server's response, which then is never sent. The object identifies the users of calls in this process.
      const { whenSent, ...rest } = connection
      const facts = whenSent ? rest : connection
      const ask = async (from: number, asked: Request): Promise<Response> =>
        pending[from]?.(asked, (next) => ask(from + 1, next)) ?? handle(asked, facts)
      return ask(0, request)
    },
  }
}
