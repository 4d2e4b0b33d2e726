import type { ByteSource } from '../../../core/respond/byte-source.ts'

/** Destination of a stream. */
export interface Sink {
  /** True when the client has disconnected. */
  readonly gone: boolean
  /** Returns false for back pressure; `wake` is called when writing can continue. */
  write(bytes: Uint8Array): boolean
  finish(): void
  /** Calls back when it is this sink's turn to write. */
  later(write: () => void): void
  /** Set by the pump; called when writing can continue. */
  wake: (() => void) | undefined
  /** Set by the pump; called when the client disconnects. */
  left: (() => void) | undefined
}

/**
 * Writes a stream to a sink chunk by chunk, with back pressure. Cancels the stream when the client disconnects. Rejects when the stream
 * fails; the response is then incomplete, and the caller must not end it normally.
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

/** Destination of a ByteSource. */
export interface SourceSink extends Sink {
  /** The source failed; the response is incomplete. */
  failed(error: unknown): void
}

/** Like `pump` for a ByteSource, without a promise per chunk. */
export function drainInto(source: ByteSource, sink: SourceSink): void {
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
      sink.failed(error)
    }
  }
  sink.left = () => source.cancel()
  sink.wake = () => {
    if (!held) return
    held = false
    go()
  }
  source.open(source.patient ? () => sink.later(go) : go)
  if (sink.gone) source.cancel()
  else go()
}
