/** Compresses a stream with back pressure. */
export const gzipped = (source: ReadableStream<Uint8Array<ArrayBuffer>>) => coded(source, new CompressionStream('gzip'))

/**
 * Compresses or decompresses a stream with back pressure. The built-in classes buffer too much (their queue may count chunks instead of bytes,
 * 16,384 in Node 20), which would hold a whole list in memory. They get one chunk at a time, when the reader waits for more.
 */
export function coded(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  { readable, writable }: CompressionStream | DecompressionStream,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const [plain, input, output] = [source.getReader(), writable.getWriter(), readable.getReader()]
  let feeding: Promise<void> | undefined
  let fed = false

  /** Writes the next chunk, or the end. */
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
