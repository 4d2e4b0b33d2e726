import type { ByteSource } from '../../../core/answers/byte-source.ts'

/** Destination of a stream. */
export interface Sink {
  /** True when the client has disconnected. */
  readonly gone: boolean
  /** Returns false for back pressure; `user.wake` is called when writing can continue. */
  write(bytes: Uint8Array): boolean
  finish(): void
  /** Calls back when it is this sink's turn to write. */
  later(write: () => void): void
  /** Set by the pump. */
  user: SinkUser | undefined
}

/** What writes to a sink. */
export interface SinkUser {
  /** Writing can continue. */
  wake(): void
  /** The client has disconnected. */
  left(): void
}

/**
 * Writes a stream to a sink chunk by chunk, with back pressure. Cancels the stream when the client disconnects. Rejects when the stream
 * fails; the response is then incomplete, and the caller must not end it normally.
 */
export async function pump(body: ReadableStream<Uint8Array>, sink: Sink): Promise<void> {
  const reader = body.getReader()
  let wake: (() => void) | undefined
  const left = () => {
    reader.cancel(new Error('the client closed the connection')).catch(() => {})
    wake?.()
  }
  sink.user = { wake: () => wake?.(), left }
  if (sink.gone) return left()
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
  const drain = new Drain(source, sink)
  sink.user = drain
  drain.open()
}

/** There is one for each open watch. */
class Drain implements SinkUser {
  readonly #source: ByteSource
  readonly #sink: SourceSink
  #held = false

  constructor(source: ByteSource, sink: SourceSink) {
    this.#source = source
    this.#sink = sink
  }

  open(): void {
    const source = this.#source
    const go = () => this.#go()
    source.open(source.isDeferrable ? () => this.#sink.later(go) : go)
    if (this.#sink.gone) source.cancel()
    else this.#go()
  }

  wake(): void {
    if (!this.#held) return
    this.#held = false
    this.#go()
  }

  left(): void {
    this.#source.cancel()
  }

  #go(): void {
    try {
      this.#write()
    } catch (error) {
      this.#source.cancel()
      this.#sink.failed(error)
    }
  }

  #write(): void {
    const [source, sink] = [this.#source, this.#sink]
    while (!this.#held && !sink.gone) {
      const bytes = source.take()
      if (bytes === undefined) break
      this.#held = !sink.write(bytes)
    }
    if (!this.#held && source.ended && !sink.gone) sink.finish()
  }
}
