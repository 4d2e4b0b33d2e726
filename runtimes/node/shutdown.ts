/** An orderly end of the daemon: nothing that could finish is cut off. */
import type { ParsedFlags } from '../../core/flags/parse.ts'
import type { Logger } from '../../core/ports.ts'
import type { ApiServer } from '../../core/server.ts'
import { nodeClock } from './clock.ts'
import type { Listener } from './listener.ts'
import type { Opened } from './opened.ts'

/** The parts of a running daemon that are shut down in order. */
export interface Running {
  readonly server: ApiServer
  readonly listener: Listener
  /** Everything, also the server and the listener. */
  readonly opened: Opened
  readonly logger: Logger
}

/**
 * Not ready, out of the service's endpoints, delay, stop accepting, watches end, requests in flight finish; then what they stand on closes, the
 * stores after the server. Resolves when everything is closed. `cause`: signal, for the log.
 */
export async function shutDown(flags: ParsedFlags, { server, listener, opened, logger }: Running, cause: string): Promise<void> {
  const began = performance.now()
  const elapsed = () => Math.round(performance.now() - began)
  const delay = flags.get('shutdown-delay-duration')
  const sendRetryAfter = flags.get('shutdown-send-retry-after')
  const watchGrace = flags.get('shutdown-watch-termination-grace-period')
  const limit = flags.get('request-timeout')
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
