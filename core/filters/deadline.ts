import { badRequest, timeout } from '../answers/status.ts'
import type { Clock } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { parseDuration } from '../schema/formats/duration.ts'
import { messageOf } from '../schema/message-of.ts'
import type { Filter } from './filter.ts'
import type { Terminations } from './terminations.ts'

const nanosecondsPerMillisecond = 1_000_000

/** Timeout in milliseconds from the query, at most `limit`; zero and negative values are ignored. Throws 400. */
function limitOf(query: URLSearchParams, limit: number): number {
  const text = query.size === 0 ? null : query.get('timeout')
  if (text === null || text === '') return limit
  try {
    const wanted = Number(parseDuration(text)) / nanosecondsPerMillisecond
    return wanted > 0 ? Math.min(wanted, limit) : limit
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${messageOf(error)}`)
  }
}

/**
 * Answers 504 when a request that is not long-running exceeds `?timeout=` or `max` milliseconds (`--request-timeout`). Its signal is aborted,
 * and a write that has not reached the store is not made any more.
 */
export function deadline(clock: Clock, max: number, terminations: Pick<Terminations, 'timedOut'>): Filter {
  const inTime = (exchange: Exchange, limit: number, answer: Promise<Response>): Promise<Response> =>
    new Promise((resolve, reject) => {
      let isLate = false
      const late = () => {
        isLate = true
        const error = timeout('request did not complete within the allotted timeout')
        exchange.expire(error)
        terminations.timedOut(exchange, answer)
        reject(error)
      }
      const cancel = clock.after(limit, late)
      answer.then(
        (response) => {
          cancel()
          resolve(response)
        },
        (error: unknown) => {
          cancel()
          // A call that has the rest of the request's time, such as that of a webhook, may time out a moment before it.
          if (!isLate && clock.monotonic() + 1 >= (exchange.deadline ?? Number.POSITIVE_INFINITY)) late()
          else reject(error)
        },
      )
    })

  return (exchange, next) => {
    if (exchange.info.longRunning) return next(exchange)
    const limit = limitOf(exchange.query, max)
    exchange.deadline = exchange.received + limit
    const answer = next(exchange)
    return answer instanceof Promise ? inTime(exchange, limit, answer) : answer
  }
}
