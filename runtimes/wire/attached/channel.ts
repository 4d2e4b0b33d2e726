/**
 * A channel that leaves gRPC for the server's Unix socket when the server has one for it. Nothing else changes: methods, messages, errors and
 * deadlines are the same. When there is no socket, or it is lost, calls go over gRPC, and a stream asks again.
 */
import type { Clock } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import type { Channel } from '../client/channel.ts'
import { AttachedConnection } from './connection.ts'
import { readTicket, ticketMethod } from './ticket.ts'

/** Milliseconds to wait for a ticket. */
const ticketTimeout = 1_000
/** A connection that lasts shorter, in milliseconds, is not tried again, until the server is connected to again. */
const shortest = 5_000

/** `path`: of the server's socket; undefined: calls go over gRPC, and why. */
export type Told = (path: string | undefined, why: string) => void

export function attachable(grpc: Channel, clock: Clock, told: Told): Channel {
  let attached: AttachedConnection | undefined
  let since = 0
  let attempt: Promise<void> | undefined
  /** The connection over which no more tickets are asked for. */
  let refused = 0
  let isClosed = false

  const usable = () => {
    if (attached?.isEnded === false) return attached
    if (attached !== undefined) {
      attached = undefined
      if (clock.monotonic() - since < shortest) refused = grpc.connection.number
    }
    return undefined
  }

  /** Resolves when it is known whether there is a socket. */
  async function attach(): Promise<void> {
    try {
      const ticket = readTicket(await grpc.call(ticketMethod, new Uint8Array(0), clock.monotonic() + ticketTimeout))
      if (ticket.peer !== grpc.connection.address) throw new Error('a proxy is between this process and the server')
      const opened = await AttachedConnection.open(ticket, clock)
      if (isClosed) return opened.close()
      attached = opened
      since = clock.monotonic()
      told(`${ticket.directory}/${ticket.name}`, '')
    } catch (error) {
      refused = grpc.connection.number
      told(undefined, messageOf(error))
    } finally {
      attempt = undefined
    }
  }

  function attaching(): Promise<void> | undefined {
    if (isClosed || usable() !== undefined || (refused !== 0 && refused === grpc.connection.number)) return undefined
    attempt ??= attach()
    return attempt
  }

  return {
    connection: grpc.connection,
    call(path, message, deadline, context, traceparent) {
      const to = usable()
      if (to !== undefined) return to.call(path, message, deadline, context)
      void attaching()
      return grpc.call(path, message, deadline, context, traceparent)
    },
    stream(path, headers, message, handler) {
      let cancel: (() => void) | undefined
      let isCancelled = false
      const open = () => {
        if (isCancelled) return
        const to = usable()
        cancel = to === undefined ? grpc.stream(path, headers, message, handler) : to.stream(path, message, handler)
      }
      const waiting = attaching()
      if (waiting === undefined) open()
      else void waiting.then(open)
      return () => {
        isCancelled = true
        cancel?.()
      }
    },
    flush() {
      attached?.flush()
      grpc.flush()
    },
    close() {
      isClosed = true
      attached?.close()
      grpc.close()
    },
  }
}
