import type { Exchange } from './exchange.ts'

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
 * For filters inside `deadline`: as `whenSent`, but after the deadline `ended` is called at once, because the client got another response then,
 * and this one is never sent.
 */
export function whenEnded(exchange: Exchange, response: Response, ended: () => void): Response {
  if (!exchange.expired) return whenSent(exchange, response, ended)
  ended()
  return response
}

/**
 * For filters outside `recover`, which see the response that is sent, at the deadline too. Calls `ended` once it has been sent to the last byte
 * or was abandoned. Returns the response to use from here on. Without a listener that reports sent bytes, the response of a long-running request
 * ends when its body has been read, and any other at once.
 */
export function whenSent({ connection, info }: Exchange, response: Response, ended: () => void): Response {
  if (connection.whenSent) {
    connection.whenSent(response, ended)
    return response
  }
  if (info.longRunning && response.body) return new Response(untilEnd(response.body, ended), response)
  ended()
  return response
}
