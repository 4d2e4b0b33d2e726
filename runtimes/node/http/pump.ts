/** Where the pieces of a stream go. */
export interface Sink {
  /** Nobody takes anything any more. */
  readonly closed: boolean
  /** False: it is held back; `wake` is called when it goes on. */
  write(bytes: Uint8Array): boolean
  finish(): void
  /** Set here. */
  wake: (() => void) | undefined
  /** Set here; called when the client goes. */
  left: (() => void) | undefined
}

/**
 * Writes a stream to a sink, each chunk at once, and no faster than the client reads. When the client goes, the stream is cancelled.
 * Rejects when the stream fails; then what was written is incomplete, and the caller must not end it as if it were whole.
 */
export async function pump(body: ReadableStream<Uint8Array>, sink: Sink): Promise<void> {
  const reader = body.getReader()
  let wake: (() => void) | undefined
  sink.left = () => {
    reader.cancel(new Error('the client closed the connection')).catch(() => {})
    wake?.()
  }
  sink.wake = () => wake?.()
  if (sink.closed) return sink.left()
  for (;;) {
    const { done, value } = await reader.read()
    if (sink.closed) return
    if (done) break
    if (sink.write(value)) continue
    await new Promise<void>((resolve) => {
      wake = resolve
    })
    if (sink.closed) return
  }
  sink.finish()
}
