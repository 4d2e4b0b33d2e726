import { splitTarget, targetOf } from '../../request/target.ts'
import type { Authentication, Authenticator } from './authenticator.ts'
import { anonymousUser, unauthenticatedGroup } from './groups.ts'

/**
 * Authenticates every request as `system:anonymous`; with `paths`, only requests for exactly one of them. Must come last, behind a
 * union that stops at errors.
 */
export function anonymousAuthenticator(paths?: readonly string[]): Authenticator {
  const anybody: Authentication = { user: { name: anonymousUser, groups: [unauthenticatedGroup] } }
  const allowed = paths === undefined || paths.length === 0 ? undefined : new Set(paths)
  return {
    name: 'anonymous',
    authenticate: (request) => (allowed === undefined || allowed.has(splitTarget(targetOf(request)).path) ? anybody : undefined),
  }
}
