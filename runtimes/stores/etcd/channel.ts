/**
 * gRPC calls to one member (gRPC's PROTOCOL-HTTP2.md) straight over HTTP/2: this way a call costs half of what it costs through a general
 * client, and every write is one. A call is made once; what may be tried again, and where, is decided in endpoints.ts.
 */
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import { CallError, type Clock } from '../../../core/ports.ts'
import { Connection, type TlsOptions } from './connection.ts'
import { deadlineExceeded, internal, unavailable, unknown } from './errors.ts'

/** What comes on a stream; nothing more once it is cancelled. */
export interface StreamHandler {
  message(message: Buffer): void
  /** The last call. */
  end(error: CallError): void
}

export interface Channel {
  /** Resolves to the encoded answer, rejects with a CallError. The deadline is in milliseconds since the epoch. */
  call(path: string, message: Uint8Array, deadline: number): Promise<Buffer>
  /** Sends one message and leaves the stream open; the returned function cancels it. */
  stream(path: string, headers: { readonly [name: string]: string }, message: Uint8Array, handler: StreamHandler): () => void
  close(): void
}

/** Before each message: whether it is compressed, and four bytes of length. */
const prefixLength = 5

/** Connects when it is first needed, and again after a connection has failed. `server` is a URL of http or https. */
export function createChannel(server: string, tls: TlsOptions, clock: Clock): Channel {
  let current: Connection | undefined
  function connection(): Connection {
    if (current === undefined || current.ended) current = new Connection(server, tls, clock)
    return current
  }

  return {
    call: (path, message, deadline) =>
      new Promise((resolve, reject) => {
        const left = Math.max(1, Math.ceil(deadline - clock.now()))
        const on = connection()
        const stream = on.open({ ...headersOf(path), 'grpc-timeout': `${left}m` })
        const chunks: Buffer[] = []
        let late = false
        const cancelTimeout = clock.after(left, () => {
          late = true
          stream.close(constants.NGHTTP2_CANCEL)
        })
        stream.on('data', (bytes: Buffer) => chunks.push(bytes))
        onEnd(on, stream, (error) => {
          cancelTimeout()
          const answer = error ?? onlyMessage(chunks)
          if (late && error) reject(new CallError(deadlineExceeded, 'Deadline exceeded'))
          else if (answer instanceof CallError) reject(answer)
          else resolve(answer)
        })
        stream.end(framed(message))
      }),
    stream(path, headers, message, handler) {
      const on = connection()
      const stream = on.open({ ...headersOf(path), ...headers })
      const messages = new Messages()
      let cancelled = false
      stream.on('data', (bytes: Buffer) => {
        for (const message of messages.take(bytes)) if (!cancelled) handler.message(message)
      })
      onEnd(on, stream, (error) => {
        if (!cancelled) handler.end(error ?? new CallError(unavailable, 'the stream ended'))
      })
      stream.write(framed(message))
      return () => {
        cancelled = true
        stream.close(constants.NGHTTP2_CANCEL)
      }
    },
    close: () => current?.close(),
  }
}

const headersOf = (path: string) => ({
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_PATH]: path,
  'content-type': 'application/grpc',
  te: 'trailers',
})

/** Calls back when all has come; with an error unless the status says that the call succeeded. */
function onEnd(connection: Connection, stream: ClientHttp2Stream, ended: (error: CallError | undefined) => void): void {
  let httpStatus: number | undefined
  let status: number | undefined
  let message = ''
  let failure: CallError | undefined
  const read = (headers: IncomingHttpHeaders) => {
    if (headers['grpc-status'] === undefined) return
    status = Number(headers['grpc-status'])
    message = decoded(String(headers['grpc-message'] ?? ''))
  }
  stream.on('response', (headers: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
    httpStatus = headers[':status']
    read(headers)
  })
  stream.on('trailers', read)
  stream.on('error', (error) => {
    failure = connection.failureOf(stream, error)
  })
  stream.on('close', () => {
    if (status === 0) ended(undefined)
    else if (status !== undefined) ended(new CallError(status, message))
    else if (failure) ended(failure)
    else if (httpStatus !== undefined && httpStatus !== 200) ended(new CallError(unknown, `Received HTTP status code ${httpStatus}`))
    else ended(new CallError(unavailable, 'the connection ended before the answer was whole'))
  })
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, prefixLength)
  return frame
}

function onlyMessage(chunks: readonly Buffer[]): Buffer | CallError {
  const [message, ...others] = new Messages().take(Buffer.concat(chunks))
  return message !== undefined && others.length === 0 ? message : new CallError(internal, 'the answer is not one message')
}

/** Cuts what comes into messages. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)

  /** The messages that are whole now. */
  take(bytes: Buffer): Buffer[] {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const found: Buffer[] = []
    while (rest.length >= prefixLength) {
      const end = prefixLength + rest.readUInt32BE(1)
      if (rest.length < end) break
      found.push(rest.subarray(prefixLength, end))
      rest = rest.subarray(end)
    }
    this.#rest = rest
    return found
  }
}

/** Status messages are percent-encoded; one that is not right is taken as it is. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
