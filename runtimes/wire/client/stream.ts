import type { CallError } from '../../../core/ports.ts'
import type { Outgoing } from '../sender.ts'
import type { Headers } from './known-headers.ts'

/** Receives the events of a stream; no calls after it is cancelled. */
export interface Receiver {
  /** Called for headers, and again for trailers. */
  headers(headers: Headers): void
  data(bytes: Buffer): void
  /** The last call; `error` is absent when the peer ended the stream normally. */
  end(error?: CallError): void
}

/** One call; the connection reads and writes its fields. */
export class Stream implements Outgoing {
  /** Stream id; 0: waiting to be opened. */
  id = 0
  /** Header block of the request. */
  readonly head: Buffer
  /** Unsent data. */
  rest: Uint8Array
  /** True when nothing follows the body. */
  last: boolean
  readonly receiver: Receiver
  /** Send window in bytes. */
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
