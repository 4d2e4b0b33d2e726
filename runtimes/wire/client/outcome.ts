/** gRPC over HTTP/2: headers and statuses (gRPC's PROTOCOL-HTTP2.md). */
import { CallError } from '../../../core/ports.ts'
import { encodedHeaders } from '../hpack/write.ts'
import { unavailable, unknown } from './codes.ts'
import type { Headers } from './known-headers.ts'
import type { Address } from './socket.ts'

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
