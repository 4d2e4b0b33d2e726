/**
 * Compresses a stream, no faster than it is read. A CompressionStream takes more than it should: its queues may count pieces instead of
 * bytes (16,384 of them in Node 20), which would hold a whole list in memory. So it gets one piece at a time, when somebody waits for more.
 */
export function gzipped(source: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new CompressionStream('gzip')
  const [plain, input, output] = [source.getReader(), writable.getWriter(), readable.getReader()]
  let feeding: Promise<void> | undefined
  let fed = false

  /** Puts in the next piece, or the end. */
  async function feed(): Promise<void> {
    const { done, value } = await plain.read()
    if (done) fed = true
    await (done ? input.close() : input.write(value))
    feeding = undefined
  }

  function abandon(reason: unknown): void {
    for (const end of [plain.cancel(reason), input.abort(reason), output.cancel(reason)]) end.catch(() => {})
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    let there = false
    const next = output.read().finally(() => {
      there = true
    })
    next.catch(() => {})
    try {
      while (!there && !fed) {
        feeding ??= feed()
        await Promise.race([next, feeding])
      }
      const { done, value } = await next
      if (done) controller.close()
      else controller.enqueue(value as Uint8Array<ArrayBuffer>)
    } catch (error) {
      abandon(error)
      throw error
    }
  }

  return new ReadableStream({ pull, cancel: abandon }, { highWaterMark: 0 })
}
