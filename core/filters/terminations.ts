/** Counts requests that the server ended in self-defence (metrics.RecordRequestTermination, RecordDroppedRequest). */

import { apiErrorOf } from '../answers/error.ts'
import { PlainError } from '../answers/plain-error.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import type { Exchange } from '../request/exchange.ts'
import { routesOf } from '../resources/routes.ts'
import type { RequestMetrics } from './metrics.ts'
import { requestLabelsOf, resourceLabelsOf, unknownLabels } from './request-labels.ts'

const [tooMany, gatewayTimeout] = ['429', '504']

export interface Terminations {
  /** Counts a request that is refused with this error because there are too many; other errors are not counted. Returns the error. */
  dropped<T>(exchange: Exchange, error: T): T
  /** The request has timed out; its handler, which ends later, has this answer. */
  timedOut(exchange: Exchange, answer: Promise<unknown>): void
}

export function createTerminations(
  { terminations, requests, lateEnds }: Pick<RequestMetrics, 'terminations' | 'requests' | 'lateEnds'>,
  table: Pick<ResourceTable, 'lookup'>,
): Terminations {
  const known = new WeakMap<ServedResource, ReadonlySet<string>>()

  /** Whether the labels of a request are bounded: this filter sees it before the router does. */
  function isServed({ isResource, group, version, resource, subresource }: Exchange['info']): boolean {
    if (!isResource) return false
    const found = table.lookup(group, version, resource)
    if (found === undefined) return false
    let subresources = known.get(found)
    if (subresources === undefined) {
      subresources = new Set(routesOf(found.definition).map((route) => route.subresource))
      known.set(found, subresources)
    }
    return subresources.has(subresource)
  }

  const terminated = (exchange: Exchange, code: string) =>
    terminations.add([...(isServed(exchange.info) ? resourceLabelsOf(exchange) : unknownLabels(exchange)), code])

  return {
    dropped(exchange, error) {
      if (!(error instanceof PlainError) || error.code !== Number(tooMany)) return error
      terminated(exchange, tooMany)
      const labels = !exchange.info.isResource || isServed(exchange.info) ? requestLabelsOf(exchange) : undefined
      if (labels !== undefined) requests.add([...labels, tooMany])
      return error
    },
    timedOut(exchange, answer) {
      terminated(exchange, gatewayTimeout)
      const ended = (status: string) => lateEnds.add(['timeout-handler', status])
      answer.then(
        () => ended('ok'),
        (error: unknown) => ended(error instanceof PlainError || apiErrorOf(error) !== undefined ? 'ok' : 'panic'),
      )
    },
  }
}
