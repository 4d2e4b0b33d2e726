/** The text of a response's body. Rejects with an Error when it has more than `max` bytes; the rest is not read. */
export async function readText(body: ReadableStream<Uint8Array> | null, max: number): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.byteLength
    if (length > max) {
      void reader.cancel().catch(() => undefined)
      throw new Error(`the response has more than ${max} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}
