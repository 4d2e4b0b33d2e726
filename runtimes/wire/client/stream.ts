import type { CallError } from '../../../core/ports.ts'
import type { Outgoing } from '../sender.ts'
import type { Headers } from './known-headers.ts'

/** Receives the events of a stream; no calls after it is cancelled. */
export interface Receiver {
  /** First the head, and at the end perhaps trailers. */
  headers(headers: Headers): void
  data(bytes: Buffer): void
  /** The last call; with an error unless the peer ended the stream as it should. */
  end(error?: CallError): void
}

/** One call; the connection reads and writes its fields. */
export class Stream implements Outgoing {
  /** 0: it waits to be opened. */
  id = 0
  /** Header block of the request. */
  readonly head: Buffer
  /** What is left to send. */
  rest: Uint8Array
  /** Whether nothing follows the body. */
  last: boolean
  readonly receiver: Receiver
  /** Bytes that the peer takes. */
  window = 0
  /** Bytes received since the last WINDOW_UPDATE. */
  received = 0
  headed = false
  sentEnd = false
  moved = 0

  constructor(head: Buffer, body: Uint8Array, last: boolean, receiver: Receiver) {
    this.head = head
    this.rest = body
    this.last = last
    this.receiver = receiver
  }
}
