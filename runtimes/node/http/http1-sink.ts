import type { ServerResponse } from 'node:http'
import { type ByteSource, isByteSource } from '../../../core/answers/byte-source.ts'
import type { Http1Peer } from './http1-peer.ts'
import { drainInto, pump, type SinkUser, type SourceSink } from './pump.ts'
import type { StreamBody } from './service.ts'

/** Bytes per socket write; the client's speed is measured between writes. */
export const piece = 128 * 1024

/** A response body over HTTP/1.1, sent in pieces. */
class Http1Sink implements SourceSink {
  readonly #outgoing: ServerResponse
  readonly #peer: Http1Peer
  user: SinkUser | undefined
  readonly failed: (error: unknown) => void
  /** Called at the end, and when the client disconnects. */
  readonly #over: () => void
  /** Bytes that count as held by the peer. */
  #held = 0

  constructor(outgoing: ServerResponse, peer: Http1Peer, over: () => void, failed: (error: unknown) => void) {
    this.#outgoing = outgoing
    this.#peer = peer
    this.#over = over
    this.failed = failed
    outgoing.on('drain', () => {
      this.#release()
      this.user?.wake()
    })
    outgoing.on('close', () => {
      this.#release()
      if (outgoing.writableFinished) return
      this.user?.left()
      over()
    })
  }

  get gone(): boolean {
    return this.#outgoing.destroyed
  }

  write(bytes: Uint8Array): boolean {
    if (this.#outgoing.write(bytes)) return true
    this.#held += bytes.length
    this.#peer.hold(bytes.length)
    return false
  }

  /** Everything written has been sent, or is lost. */
  #release(): void {
    if (this.#held === 0) return
    this.#peer.release(this.#held)
    this.#held = 0
  }

  later(write: () => void): void {
    this.#peer.later(write)
  }

  finish(): void {
    this.#outgoing.end()
    this.#over()
  }
}

/** Resolves when the stream is written or the client has disconnected. Rejects when the stream fails; the response is then incomplete. */
export function sendStream(body: StreamBody, outgoing: ServerResponse, peer: Http1Peer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sink = new Http1Sink(outgoing, peer, resolve, reject)
    if (isByteSource(body)) drainInto(body, sink)
    else pump(body, sink).catch(reject)
  })
}

/** Sends a long body with back pressure. Resolves as `sendStream` does. */
export async function sendLong(bytes: Uint8Array<ArrayBuffer>, outgoing: ServerResponse, peer: Http1Peer): Promise<void> {
  peer.hold(bytes.length)
  try {
    await sendStream(new Pieces(bytes), outgoing, peer)
  } finally {
    peer.release(bytes.length)
  }
}

class Pieces implements ByteSource {
  readonly isDeferrable = false
  readonly #bytes: Uint8Array<ArrayBuffer>
  #at = 0

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length
  }

  open(): void {}

  take(): Uint8Array<ArrayBuffer> | undefined {
    if (this.ended) return undefined
    const at = this.#at
    this.#at += piece
    return this.#bytes.subarray(at, this.#at)
  }

  cancel(): void {}
}
