import { badRequest } from '../../answers/status.ts'
import type { ByteStream } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'

/** Message for connections that can't be upgraded, such as those of in-process requests. */
export const noUpgrades = 'unable to upgrade: this connection cannot switch protocols'

/**
 * Switches the connection to another protocol. `use` serves the stream; its signal aborts when the server shuts down, when a watch would
 * end, and when the client disconnects. Throws 400 when the request has no Upgrade header or the connection can't be upgraded.
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
