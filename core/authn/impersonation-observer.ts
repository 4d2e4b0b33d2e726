import type { Authorizer } from '../authz/authorizer.ts'
import type { Clock } from '../ports.ts'

/** Receives attempts to act as another user; times are in milliseconds. A mode is `legacy` or one of KEP-5284, such as `user-info`. */
export interface ImpersonationObserver {
  /** An attempt ended; `mode` is empty when it was denied. */
  attempted(mode: string, allowed: boolean, milliseconds: number): void
  /** The authorizer was asked about a permission that a mode needs. */
  checked(mode: string, allowed: boolean, milliseconds: number): void
}

const legacyMode = 'legacy'
const constrained = /^impersonate(?:-on)?:(associated-node|arbitrary-node|serviceaccount|user-info)(?::|$)/

/** The mode that a verb belongs to: `impersonate-on:user-info:get`, `impersonate:user-info`, `impersonate` or, for the latter, nothing. */
export const modeOf = (verb: string): string =>
  verb === '' || verb === 'impersonate' ? legacyMode : (constrained.exec(verb)?.[1] ?? 'unknown')

/** Reports what the authorizer is asked. */
export const observedChecks = (
  authorizer: Authorizer,
  observer: ImpersonationObserver,
  clock: Pick<Clock, 'monotonic'>,
): Pick<Authorizer, 'authorize'> => ({
  async authorize(attributes, context) {
    const began = clock.monotonic()
    const decision = await authorizer.authorize(attributes, context)
    observer.checked(modeOf(attributes.verb), decision.verdict === 'allow', clock.monotonic() - began)
    return decision
  },
})
