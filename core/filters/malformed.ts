import { internalServerError } from '../answers/plain-error.ts'
import { targetOf } from '../request/target.ts'
import type { Filter } from './filter.ts'

/** Refuses paths that have no RequestInfo, before all other filters, as the reference. */
export const malformed: Filter = (exchange, next) => {
  if (!exchange.info.malformed) return next(exchange)
  const target = targetOf(exchange.request)
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${target}`
  const { response } = internalServerError(target, why)
  response.headers.set('audit-id', exchange.auditId)
  return response
}
