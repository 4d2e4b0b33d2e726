/** The first bytes of a body as text; the rest is not read. Rejects when the body fails. */
export async function readStart(body: ReadableStream<Uint8Array> | null, max: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let left = max
  const reader = body?.getReader()
  while (reader !== undefined && left > 0) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.length
  }
  void reader?.cancel().catch(() => undefined)
  return text
}
