import type { Exchange } from '../request/exchange.ts'

/** Wraps a stream to call `ended` at its last byte, on an error, or when it is cancelled. */
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
 * Calls `ended` once the response has been sent to the last byte or was abandoned. Returns the response to use from here on. Without a
 * listener that reports sent bytes, the response of a long-running request ends when its body has been read, and any other at once.
 */
export function whenEnded({ connection, info, expired }: Exchange, response: Response, ended: () => void): Response {
  if (expired) {
    // The client got its answer at the deadline: this one is never sent.
    ended()
    return response
  }
  if (connection.whenSent) {
    connection.whenSent(response, ended)
    return response
  }
  if (info.longRunning && response.body) return new Response(untilEnd(response.body, ended), response)
  ended()
  return response
}
