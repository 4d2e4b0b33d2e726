import type { Exchange } from '../request/exchange.ts'

/** A stream that calls back at its last byte, or when nobody reads it any more. */
function untilEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          ended()
          controller.close()
        } catch (error) {
          ended()
          controller.error(error)
        }
      },
      cancel(reason) {
        ended()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Calls back once the exchange has ended: its answer has been sent to the last byte, or given up. Resolves to the response to go on with.
 * Where no listener tells when bytes are sent, an answer ends when it is handed over, and a stream when it is read to its end.
 */
export function whenEnded({ connection, info }: Exchange, response: Response, ended: () => void): Response {
  if (connection.whenSent) {
    connection.whenSent(response, ended)
    return response
  }
  if (info.longRunning && response.body) return new Response(untilEnd(response.body, ended), response)
  ended()
  return response
}
