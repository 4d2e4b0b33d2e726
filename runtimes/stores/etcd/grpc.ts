/** gRPC over HTTP/2: messages, headers and statuses (gRPC's PROTOCOL-HTTP2.md). */
import { CallError } from '../../../core/ports.ts'
import type { Headers } from '../../wire/client/known-headers.ts'
import type { Address } from '../../wire/client/socket.ts'
import { encodedHeaders } from '../../wire/hpack/write.ts'
import { internal, resourceExhausted, unavailable, unknown } from './errors.ts'

/** Length of a message's prefix: compression flag and four bytes of length. */
const prefixLength = 5
/** Maximum bytes of one message; a page of a list is smaller. */
const largestMessage = 1024 * 1024 * 1024

/** The header block that begins a call. */
export function requestHead(
  { secure, authority }: Address,
  path: string,
  headers: Iterable<readonly [name: string, value: string]> = [],
): Buffer {
  return encodedHeaders([
    [':method', 'POST'],
    [':scheme', secure ? 'https' : 'http'],
    [':path', path],
    [':authority', authority],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...headers,
  ])
}

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, prefixLength)
  return frame
}

/** Splits incoming bytes into messages. */
export class Messages {
  #chunks: Buffer[] = []
  #length = 0
  /** Bytes missing to complete the message, or its prefix. */
  #wanted = prefixLength

  /** Complete messages; an error for a compressed one (not negotiated) or one that is too large. */
  take(bytes: Buffer): Buffer[] | CallError {
    this.#chunks.push(bytes)
    this.#length += bytes.length
    const found: Buffer[] = []
    while (this.#length >= this.#wanted) {
      const [first = bytes, ...others] = this.#chunks
      const all = others.length === 0 ? first : Buffer.concat(this.#chunks, this.#length)
      if (all[0] !== 0) return new CallError(internal, 'the response is compressed')
      const length = all.readUInt32BE(1)
      if (length > largestMessage) return new CallError(resourceExhausted, `the response has ${length} bytes`)
      const end = prefixLength + length
      const whole = all.length >= end
      if (whole) found.push(all.subarray(prefixLength, end))
      const rest = whole ? all.subarray(end) : all
      this.#chunks = rest.length > 0 ? [rest] : []
      this.#length = rest.length
      this.#wanted = whole ? prefixLength : end
    }
    return found
  }

  /** True when a message is incomplete. */
  get cut(): boolean {
    return this.#length > 0
  }
}

/** Result of a call, from headers and trailers of the response. */
export class Outcome {
  #httpStatus: string | undefined
  #status: number | undefined
  #message = ''

  read(headers: Headers): void {
    this.#httpStatus ??= headers.get(':status')
    const status = headers.get('grpc-status')
    if (status === undefined) return
    this.#status = /^\d+$/.test(status) ? Number(status) : unknown
    this.#message = decoded(headers.get('grpc-message') ?? '')
  }

  /** The error of a failed call; undefined on success. `failure`: error of the stream. */
  error(failure: CallError | undefined): CallError | undefined {
    if (this.#status === 0) return undefined
    if (this.#status !== undefined) return new CallError(this.#status, this.#message)
    if (failure) return failure
    if (this.#httpStatus !== '200') return new CallError(unknown, `Received HTTP status code ${this.#httpStatus}`)
    return new CallError(unavailable, 'the connection ended before the response was complete')
  }
}

/** Decodes a percent-encoded status message; a malformed one is used unchanged. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
