/** Mode Webhook: a SubjectAccessReview is sent to a webhook over HTTPS. */
import { type MaybePromise, then } from '../../common/maybe-promise.ts'
import { Pauses } from '../../common/slices.ts'
import { uncounted } from '../../metrics.ts'
import { createReadingCall, outcomeOf } from '../../outgoing/webhook/call.ts'
import type { WebhookConnection } from '../../outgoing/webhook/connection.ts'
import { createExpiringCache } from '../../outgoing/webhook/expiring-cache.ts'
import { sharedCalls } from '../../outgoing/webhook/shared-calls.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Context, Logger, Outbound } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Attributes, Authorizer, Decision } from './authorizer.ts'
import type { Match, MatchConditions } from './match-conditions.ts'
import { type AuthorizationMetrics, authorizationRows } from './metrics.ts'
import { unlistedRules } from './rules.ts'
import { type ReviewSpec, type ReviewStatus, type ReviewVersion, readStatus, reviewBody, reviewSpec } from './webhook-review.ts'

export interface WebhookOptions {
  readonly name: string
  readonly version: ReviewVersion
  readonly connection: WebhookConnection
  /** Time-to-live in milliseconds of cached decisions; 0: no cache. */
  readonly authorizedTtl: number
  readonly unauthorizedTtl: number
  /** Timeout in milliseconds per call. */
  readonly timeout: number
  /** The decision without a usable response. */
  readonly onFailure: 'no-opinion' | 'deny'
  /** Match conditions that select requests; absent: all requests. */
  readonly conditions?: MatchConditions
}

/** Dependencies of webhooks. */
export interface WebhookContext {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Clock
  readonly logger: Logger
  readonly platform: Platform
  readonly metrics?: AuthorizationMetrics
}

const cachedAnswers = 8192
/** Maximum characters of a cacheable request's attributes, because the client chooses them. */
const maxCachedLength = 10_000

const skipped: Decision = { verdict: 'no-opinion', reason: '' }

const cacheable = ({ namespace, verb, group, version, resource, subresource, name, path, labelSelector, fieldSelector }: Attributes) =>
  [namespace, verb, group, version, resource, subresource, name, path, labelSelector ?? '', fieldSelector ?? ''].reduce(
    (sum, { length }) => sum + length,
    0,
  ) < maxCachedLength

function decisionOf({ allowed, denied, reason }: ReviewStatus): Decision {
  if (allowed && denied) {
    return { verdict: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' }
  }
  return { verdict: denied ? 'deny' : allowed ? 'allow' : 'no-opinion', reason }
}

export function webhookAuthorizer(options: WebhookOptions, context: WebhookContext): Authorizer {
  const { name, version, authorizedTtl, unauthorizedTtl, conditions } = options
  const { clock, logger, platform, metrics = uncounted(authorizationRows) } = context
  const cache = createExpiringCache<Decision>(cachedAnswers, clock)
  const pauses = new Pauses(clock)
  const neverAborted = new AbortController().signal
  const labels = ['Webhook', name] as const
  const call = createReadingCall({
    ...options,
    ...context,
    read: (answer) => readStatus(answer, version, platform),
    tried(outcome, milliseconds) {
      metrics.calls.add([name, outcome])
      metrics.durations.observe([name, outcome], milliseconds / 1000)
    },
  })
  const failed = (error: string): Decision => ({ verdict: options.onFailure, reason: '', error })

  async function ask(attributes: Attributes, key: string, body: string, { signal, span }: Context): Promise<Decision> {
    let status: ReviewStatus
    try {
      status = await call(body, signal, span?.traceparent)
    } catch (error) {
      if (signal.aborted) throw error
      const why = messageOf(error)
      logger.error({ authorizer: name, error: why }, 'authorization webhook failed')
      if (options.onFailure === 'no-opinion') metrics.failedOpen.add([name, outcomeOf(error)])
      return failed(why)
    }
    const decision = decisionOf(status)
    if (cacheable(attributes)) cache.set(key, decision, status.allowed ? authorizedTtl : unauthorizedTtl)
    return decision
  }

  function matches(spec: ReviewSpec, signal: AbortSignal): MaybePromise<Match> {
    if (conditions === undefined) return true
    const began = clock.monotonic()
    return then(
      conditions(
        spec,
        pauses.slices(() => signal),
      ),
      (match) => {
        metrics.evaluations.observe(labels, (clock.monotonic() - began) / 1000)
        if (match === false) metrics.exclusions.add(labels)
        else if (match !== true) metrics.errors.add(labels)
        return match
      },
    )
  }

  /** Concurrent requests with the same review share a call. */
  const shared = sharedCalls<Decision>()

  return {
    name,
    authorize(attributes, context) {
      const spec = reviewSpec(attributes)
      return then<Match, Decision>(matches(spec, context?.signal ?? neverAborted), (match) => {
        if (match !== true) return match === false ? skipped : failed(match.error)
        const key = JSON.stringify(spec)
        const known = cache.get(key)
        if (known !== undefined) return known
        return shared(key, context, (part) => ask(attributes, key, reviewBody(spec, version, platform), part))
      })
    },
    rulesFor: () => unlistedRules('webhook'),
  }
}
