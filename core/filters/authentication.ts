import { type Authentication, AuthenticationError, type Authenticator } from '../authn/authenticator.ts'
import type { Logger } from '../ports.ts'
import type { Exchange } from '../request/exchange.ts'
import { unauthorized } from '../respond/status.ts'
import type { Filter } from './filter.ts'

/** Finds out who makes the request; 401 without a reason when nobody vouches for it. The reason goes to the log. */
export function authentication(authenticator: Authenticator, logger: Logger): Filter {
  const refuse = ({ auditId }: Exchange, error: unknown): never => {
    if (!(error instanceof AuthenticationError)) throw error
    logger.warn({ auditId, error: error.message }, 'unable to authenticate the request')
    throw unauthorized()
  }
  const identify = (exchange: Exchange, found: Authentication) => {
    if (found === undefined) throw unauthorized()
    exchange.user = found.user
  }
  return (exchange, next) => {
    let found: ReturnType<Authenticator['authenticate']>
    try {
      found = authenticator.authenticate(exchange.request, exchange.connection)
    } catch (error) {
      return refuse(exchange, error)
    }
    if (!(found instanceof Promise)) {
      identify(exchange, found)
      return next(exchange)
    }
    return found
      .catch((error: unknown) => refuse(exchange, error))
      .then((late) => {
        identify(exchange, late)
        return next(exchange)
      })
  }
}
