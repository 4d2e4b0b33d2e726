import type { ByteStream } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { badRequest } from '../respond/status.ts'

/** Why an upgrade is refused on connections that have none, such as those of requests in-process. */
export const noUpgrades = 'unable to upgrade: this connection cannot switch protocols'

/**
 * Answers a request that asks for another protocol. `use` serves the stream; its signal aborts when the server shuts down, when a watch would
 * end, and when the client disconnects. Throws 400 when the client did not ask, or the connection can't.
 */
export function switchProtocols(
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
  use: (stream: ByteStream, signal: AbortSignal) => Promise<void>,
): Response {
  const { connection, request } = exchange
  if (!request.headers.has('upgrade')) throw badRequest('Upgrade request required')
  if (connection.upgrade === undefined) throw badRequest(noUpgrades)
  return connection.upgrade(headers, (stream) => {
    const ending = new AbortController()
    const forget = exchange.onShutdown(() => ending.abort(new Error('the server is shutting down')))
    const failed = (error: unknown) => {
      void stream.readable.cancel(error).catch(() => undefined)
      void stream.writable.abort(error).catch(() => undefined)
    }
    use(stream, AbortSignal.any([exchange.signal, ending.signal]))
      .catch(failed)
      .finally(forget)
  })
}
