/**
 * gRPC calls to one server, at a fraction of the cost of a general client. Calls are not retried here: the caller knows whether another one is
 * harmless, and where it may go.
 */
import { CallError, type Clock, type Context } from '../../../core/ports.ts'
import { internal, unavailable } from './codes.ts'
import { Connection } from './connection.ts'
import { deadline as deadlineOf, timeLeft } from './deadline.ts'
import { framed, Messages } from './messages.ts'
import { Outcome, requestHead } from './outcome.ts'
import { addressOf, type SocketOptions } from './socket.ts'
import type { Stream } from './stream.ts'

/** Maximum bytes of one message of etcd; a page of a list is smaller. */
const maxMessageBytes = 1024 * 1024 * 1024

/** Receives the messages of a stream; no calls after it is cancelled. */
export interface StreamHandler {
  message(message: Buffer): void
  /** The last call. */
  end(error: CallError): void
}

/** The current connection of a channel. */
export interface CurrentConnection {
  /** Counts the connections; 0: there was none. */
  readonly number: number
  /** Address of this end; undefined: it is not known. */
  readonly address: string | undefined
}

export interface Channel {
  readonly connection: CurrentConnection
  /**
   * Resolves to the encoded response, rejects with a CallError, or with the reason of the context's signal when that aborts. The deadline is in
   * milliseconds of the monotonic clock. `traceparent`: metadata for the server's own traces.
   */
  call(path: string, message: Uint8Array, deadline: number, context?: Context, traceparent?: string): Promise<Buffer>
  /** Sends one message and leaves the stream open; the returned function cancels it. */
  stream(path: string, headers: { readonly [name: string]: string }, message: Uint8Array, handler: StreamHandler): () => void
  /** Sends batched calls immediately. */
  flush(): void
  close(): void
}

const timeout = (left: number) => [['grpc-timeout', `${left}m`] as const]

/** Connects on first use, and reconnects after a failure. `server`: see `addressOf`. `largest`: bytes of a received message. */
export function createChannel(server: string, tls: SocketOptions, clock: Clock, largest = maxMessageBytes): Channel {
  const address = addressOf(server)
  /** The last header block of each path. */
  const heads = new Map<string, { readonly left: number; readonly block: Buffer }>()
  let current: Connection | undefined
  let count = 0

  function connection(): Connection {
    if (current === undefined || current.ended) {
      current = new Connection(address, tls, clock)
      count++
    }
    return current
  }
  /** Header block of a call; `left`: milliseconds until its deadline. Cached, because consecutive calls often have the same value. */
  function headOf(path: string, left: number, traceparent: string | undefined): Buffer {
    if (traceparent !== undefined) return requestHead(address, path, [...timeout(left), ['traceparent', traceparent]])
    let head = heads.get(path)
    if (head?.left !== left) {
      head = { left, block: requestHead(address, path, timeout(left)) }
      heads.set(path, head)
    }
    return head.block
  }

  return {
    connection: {
      get number() {
        return count
      },
      get address() {
        return current?.address
      },
    },
    call: (path, message, deadline, context, traceparent) =>
      new Promise((resolve, reject) => {
        const left = timeLeft(clock, deadline)
        const outcome = new Outcome()
        const messages = new Messages(largest)
        let answer: Buffer | undefined
        let count = 0
        const on = connection()
        const stop = (error: unknown) => {
          finish()
          on.cancel(stream)
          reject(error)
        }
        const finish = deadlineOf(clock, deadline, context, stop)
        const stream: Stream = on.open(headOf(path, left, traceparent), framed(message), true, {
          headers: (headers) => outcome.read(headers),
          data(bytes) {
            const found = messages.take(bytes)
            if (found instanceof CallError) return stop(found)
            answer ??= found[0]
            count += found.length
          },
          end(failure) {
            finish()
            const error = outcome.error(failure)
            if (error) reject(error)
            else if (answer !== undefined && count === 1 && !messages.cut) resolve(answer)
            else reject(new CallError(internal, 'the response is not a single message'))
          },
        })
      }),
    stream(path, headers, message, handler) {
      const outcome = new Outcome()
      const messages = new Messages(largest)
      let cancelled = false
      const on = connection()
      const cancel = () => {
        cancelled = true
        on.cancel(stream)
      }
      const stream: Stream = on.open(requestHead(address, path, Object.entries(headers)), framed(message), false, {
        headers: (headers) => outcome.read(headers),
        data(bytes) {
          const found = messages.take(bytes)
          if (found instanceof CallError) {
            cancel()
            handler.end(found)
          } else for (const message of found) if (!cancelled) handler.message(message)
        },
        end: (failure) => handler.end(outcome.error(failure) ?? new CallError(unavailable, 'the stream ended')),
      })
      return cancel
    },
    flush: () => current?.flush(),
    close: () => current?.close(),
  }
}
