import type { Clock } from '../ports.ts'
import { timeout } from '../respond/status.ts'
import type { Filter } from './filter.ts'

/** Answers 504 when a request that should be short takes longer than `limit` milliseconds (`--request-timeout`). */
export function deadline(clock: Clock, limit: number): Filter {
  return (exchange, next) => {
    const answer = next(exchange)
    if (!(answer instanceof Promise) || exchange.info.longRunning) return answer
    return new Promise((resolve, reject) => {
      const late = () => {
        exchange.expired = true
        reject(timeout('request did not complete within the allotted timeout'))
      }
      const cancel = clock.after(limit, late)
      answer.then(
        (response) => {
          cancel()
          resolve(response)
        },
        (error: unknown) => {
          cancel()
          reject(error)
        },
      )
    })
  }
}
