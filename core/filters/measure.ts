import { apiErrorOf } from '../answers/error.ts'
import { PlainError } from '../answers/plain-error.ts'
import { Reply } from '../answers/reply.ts'
import type { Clock, Connection } from '../ports.ts'
import { whenEnded } from '../request/ended.ts'
import type { Exchange } from '../request/exchange.ts'
import { type Filter, outcome } from './filter.ts'
import type { RequestMetrics } from './metrics.ts'
import { fieldValidationOf, requestLabelsOf, resourceLabelsOf } from './request-labels.ts'

/** Paths and methods that are not served: there is no bound on the number of those that clients can ask for. */
const isUnserved = (code: number, name: string | undefined) => code === 405 || (code === 404 && name === undefined)

/**
 * Counts and times requests. Innermost, as in the reference server: requests that other filters refuse are not counted. Unknown paths and
 * resources are not counted, because there is no bound on their number, nor are requests that another server answers. Watches and streams are counted when they end. `own`: the connection of
 * the server's own requests.
 */
export function measure(
  {
    series,
    longRunning,
    selfRequests,
    fieldValidation,
  }: Pick<RequestMetrics, 'series' | 'longRunning' | 'selfRequests' | 'fieldValidation'>,
  clock: Clock,
  own: Connection,
): Filter {
  function record(exchange: Exchange, code: number, response?: Response): void {
    const labels = requestLabelsOf(exchange)
    if (labels === undefined) return
    const { received, waited, info } = exchange
    const counts = series(labels)
    counts.ended(code, (clock.monotonic() - received) / 1000, waited / 1000)
    fieldValidation.touch([fieldValidationOf(exchange)])
    if (exchange.connection === own) selfRequests.add([labels[0], info.group, info.resource, info.subresource])
    if (response !== undefined && !info.longRunning && exchange.request.method === 'GET') Reply.measure(response, counts.sent)
  }

  /** Counts a watch or stream as running until it ends. */
  function lasting(exchange: Exchange, response: Response): Response {
    const labels = resourceLabelsOf(exchange)
    longRunning.add(labels, 1)
    return whenEnded(exchange, response, () => {
      longRunning.add(labels, -1)
      record(exchange, response.status)
    })
  }

  function answered(exchange: Exchange, response: Response): Response {
    if (exchange.delegated) return response
    const { status } = response
    if (isUnserved(status, undefined)) return response
    if (exchange.info.longRunning) return lasting(exchange, response)
    record(exchange, status, response)
    return response
  }

  function failed(exchange: Exchange, error: unknown): never {
    const { code = 500, details } = error instanceof PlainError ? { code: error.code } : (apiErrorOf(error)?.status ?? {})
    if (!exchange.delegated && !isUnserved(code, details?.name)) record(exchange, code)
    throw error
  }

  return (exchange, next) => outcome(next, exchange, exchange, answered, failed)
}
