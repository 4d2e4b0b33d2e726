/** Long texts that are made while they are sent. */

/** Characters of a chunk, about. */
const chunkLength = 32 * 1024

/** A body of the parts of a text, made as fast as the client reads. */
export function textStream(parts: Iterator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        let text = ''
        let next = parts.next()
        for (; next.done !== true; next = parts.next()) {
          text += next.value
          if (text.length >= chunkLength) break
        }
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (next.done === true) controller.close()
      },
      cancel: () => void parts.return?.(),
    },
    { highWaterMark: 0 },
  )
}
