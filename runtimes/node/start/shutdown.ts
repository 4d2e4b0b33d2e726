/** An orderly end of the daemon: nothing that could finish is cut off. */
import type { Logger } from '../../../core/ports.ts'
import type { ApiServer } from '../../../core/server.ts'
import { nodeClock } from '../clock.ts'
import type { Listener } from '../network/listener.ts'
import type { Opened } from './opened.ts'

/** Times in milliseconds. */
export interface ShutdownOptions {
  /** Time during which the server still answers, so that load balancers notice that it is not ready. */
  readonly delay: number
  /** Keep the port open until the last answer; new requests get 429 with Retry-After. */
  readonly sendRetryAfter: boolean
  /** Maximum time for watches to end. */
  readonly watchGrace: number
  /** Maximum time for the requests in flight. */
  readonly limit: number
}

/** The parts of a running daemon that are shut down in order. */
export interface Running {
  readonly server: ApiServer
  readonly listener: Pick<Listener, 'close'>
  /** Everything, also the server and the listener. */
  readonly opened: Opened
  readonly logger: Logger
}

/**
 * Not ready, out of the service's endpoints, delay, stop accepting, watches end, requests in flight finish; then what they stand on closes, the
 * stores after the server. Resolves when everything is closed. `cause`: signal, for the log.
 */
export async function shutDown(options: ShutdownOptions, { server, listener, opened, logger }: Running, cause: string): Promise<void> {
  const { delay, sendRetryAfter, watchGrace, limit } = options
  const began = performance.now()
  const elapsed = () => Math.round(performance.now() - began)
  // The life-cycle events of the reference, under its names (lifecycle_signals.go) and in its order.
  const event = (name: string, what = 'shutdown event') => {
    if (logger.v?.(1)) logger.info({ name }, `[graceful-termination] ${what}`)
  }

  const left = server.leave()
  logger.info({ signal: cause, delay }, 'shutdown: not ready')
  event('ShutdownInitiated')
  const prepared = left.then(() => event('PreShutdownHooksStopped', 'pre-shutdown hooks completed'))
  await new Promise<void>((resolve) => void nodeClock.after(delay, resolve))
  event('AfterShutdownDelayDuration')
  await prepared

  // With Retry-After the port stays open until the last answer, so that clients get 429 and not a refused connection.
  const draining = server.drain({ limit, watchGrace, sendRetryAfter })
  const closing = sendRetryAfter ? undefined : listener.close(limit + watchGrace)
  logger.info({ elapsed: elapsed() }, 'shutdown: draining')
  event('NotAcceptingNewRequest')
  const { aborted, watches } = await draining
  event('InFlightRequestsDrained')
  await (closing ?? listener.close(limit))
  event('HTTPServerStoppedListening')
  logger.info({ elapsed: elapsed(), aborted, watches }, 'shutdown: drained')

  await opened.close()
  logger.info({ elapsed: elapsed() }, 'shutdown: ended')
}
