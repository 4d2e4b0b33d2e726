import type { ByteSource } from '../../../core/respond/byte-source.ts'

/** Destination of a stream. */
export interface Sink {
  /** Nobody takes anything any more. */
  readonly gone: boolean
  /** False: it is held back; `wake` is called when it goes on. */
  write(bytes: Uint8Array): boolean
  finish(): void
  /** Calls back when it is this sink's turn to be written to. */
  later(write: () => void): void
  /** Set here. */
  wake: (() => void) | undefined
  /** Set here; called when the client goes. */
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
  /** The source has failed: what was written is incomplete. */
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
