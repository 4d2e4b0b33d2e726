import { authorizeImpersonation, impersonationModes } from '../authn/impersonation.ts'
import { readImpersonation } from '../authn/impersonation-headers.ts'
import { type Authorizer, attributesOf } from '../authz/authorizer.ts'
import type { Platform } from '../platform.ts'
import type { Filter } from './filter.ts'

/**
 * Runs the request as the user of the `Impersonate-*` headers when the caller may impersonate that user; `constrained` adds the modes of
 * KEP-5284.
 */
export function impersonation(authorizer: Authorizer, platform: Platform, constrained: boolean): Filter {
  return (exchange, next) => {
    const wanted = readImpersonation(exchange.request.headers)
    if (wanted === undefined) return next(exchange)
    const attributes = attributesOf(exchange.user, exchange.info)
    const modes = impersonationModes(wanted, attributes, platform, constrained)
    return authorizeImpersonation(modes, authorizer, exchange).then(({ user, constraint }) => {
      exchange.user = user
      exchange.observer?.impersonated(user, constraint)
      return next(exchange)
    })
  }
}
