/** Metrics of attempts to act as another user. A mode is `legacy` or one of KEP-5284, such as `user-info`. */

import { counter, doubling, histogram, type Recorded } from '../../metrics.ts'
import type { Clock } from '../../ports.ts'
import type { Authorizer } from '../authz/authorizer.ts'

const impersonation = 'apiserver_impersonation'
const attempt = { labels: ['mode', 'decision'] } as const
const attemptSeconds = { ...attempt, buckets: doubling(0.001, 15) } as const

export const impersonationRows = {
  attempts: counter(`${impersonation}_attempts_total`, 'Attempts to act as another user.', attempt),
  attemptDurations: histogram(
    `${impersonation}_attempts_duration_seconds`,
    'Duration of attempts to act as another user, in seconds.',
    attemptSeconds,
  ),
  checks: counter(
    `${impersonation}_authorization_attempts_total`,
    'Permissions that the authorizer was asked about for attempts to act as another user.',
    attempt,
  ),
  checkDurations: histogram(
    `${impersonation}_authorization_attempts_duration_seconds`,
    'Duration of these questions to the authorizer, in seconds.',
    attemptSeconds,
  ),
}

export type ImpersonationMetrics = Recorded<typeof impersonationRows>

const legacyMode = 'legacy'
const constrained = /^impersonate(?:-on)?:(associated-node|arbitrary-node|serviceaccount|user-info)(?::|$)/

/** The mode that a verb belongs to: `impersonate-on:user-info:get`, `impersonate:user-info`, `impersonate` or, for the latter, nothing. */
export const modeOf = (verb: string): string =>
  verb === '' || verb === 'impersonate' ? legacyMode : (constrained.exec(verb)?.[1] ?? 'unknown')

/** Counts what the authorizer is asked. */
export const countedChecks = (
  authorizer: Authorizer,
  { checks, checkDurations }: ImpersonationMetrics,
  clock: Pick<Clock, 'monotonic'>,
): Pick<Authorizer, 'authorize'> => ({
  async authorize(attributes, context) {
    const began = clock.monotonic()
    const decision = await authorizer.authorize(attributes, context)
    const labels = [modeOf(attributes.verb), decision.verdict === 'allow' ? 'allowed' : 'denied'] as const
    checks.add(labels)
    checkDurations.observe(labels, (clock.monotonic() - began) / 1000)
    return decision
  },
})
