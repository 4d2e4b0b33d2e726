import type { ByteSource } from '../../../core/respond/byte-source.ts'

/** Where the pieces of a stream go. */
export interface Sink {
  /** Nobody takes anything any more. */
  readonly gone: boolean
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
  if (sink.gone) return sink.left()
  for (;;) {
    const { done, value } = await reader.read()
    if (sink.gone) return
    if (done) break
    if (sink.write(value)) continue
    await new Promise<void>((resolve) => {
      wake = resolve
    })
    if (sink.gone) return
  }
  sink.finish()
}

/** The same for a source: without a promise per piece. `failed` is called instead of rejecting. */
export function drainInto(source: ByteSource, sink: Sink, failed: (error: unknown) => void): void {
  let held = false
  const write = () => {
    while (!held && !sink.gone) {
      const bytes = source.take()
      if (bytes === undefined) break
      held = !sink.write(bytes)
    }
    if (!held && source.ended && !sink.gone) sink.finish()
  }
  const go = () => {
    try {
      write()
    } catch (error) {
      source.cancel()
      failed(error)
    }
  }
  sink.left = () => source.cancel()
  sink.wake = () => {
    if (!held) return
    held = false
    go()
  }
  source.open(go)
  if (sink.gone) source.cancel()
  else go()
}
