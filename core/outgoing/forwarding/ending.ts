/** When requests that wait for another server are given up, besides when their client leaves. */
import type { Clock } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'

/** Milliseconds that a request with an end of its own may still take when the server shuts down: it has no deadline. */
export const shutdownGrace = 10_000

export interface Ending {
  /** Aborts when the exchange ends, and at the end that was asked for. */
  readonly signal: AbortSignal
  /** The request is over. */
  forget(): void
}

function endingOf(exchange: Pick<Exchange, 'signal'>, arm: (end: (why: Error) => void) => () => void): Ending {
  const ending = new AbortController()
  return { forget: arm((why) => ending.abort(why)), signal: AbortSignal.any([exchange.signal, ending.signal]) }
}

/** Ends after a time. */
export const endAfter = (exchange: Exchange, milliseconds: number, clock: Pick<Clock, 'after'>): Ending =>
  endingOf(exchange, (end) => clock.after(Math.max(1, milliseconds), () => end(new Error('context deadline exceeded'))))

/** Ends when the server shuts down, so many milliseconds after watches. */
export const endAtShutdown = (exchange: Exchange, grace: number, clock: Pick<Clock, 'after'>): Ending =>
  endingOf(exchange, (end) => {
    const shut = () => end(new Error('the server is shutting down'))
    let cancel = () => {}
    const forget = exchange.onShutdown(() => {
      if (grace === 0) shut()
      else cancel = clock.after(grace, shut)
    })
    return () => {
      forget()
      cancel()
    }
  })
