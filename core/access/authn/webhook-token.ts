/** Authenticates bearer tokens by a TokenReview sent to a webhook over HTTPS (`--authentication-token-webhook-*`). */

import { createCall } from '../../outgoing/webhook/call.ts'
import type { WebhookConnection } from '../../outgoing/webhook/connection.ts'
import { type ReviewType, readReview } from '../../outgoing/webhook/read-review.ts'
import type { Platform } from '../../platform.ts'
import type { Clock, Context, Logger, Outbound } from '../../ports.ts'
import type { TokenReviewStatus } from '../../resources/authentication/tokenreview.ts'
import { TokenReview } from '../../resources/authentication/tokenreview.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Infer } from '../../schema/model.ts'
import { AuthenticationError, type TokenAuthenticator } from './authenticator.ts'
import { cachedTokens } from './cached-tokens.ts'

export interface WebhookTokenOptions {
  readonly connection: WebhookConnection
  readonly version: 'v1' | 'v1beta1'
  /** This server's own audiences. */
  readonly audiences: readonly string[]
  /** Time-to-live in milliseconds of cached results. */
  readonly cacheTtl: number
}

export interface WebhookTokenContext {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly clock: Clock
  readonly logger: Logger
  readonly platform: Platform
}

/** Time-to-live in milliseconds of rejections and failures, so that a retrying client does not overload the webhook. */
const errorTtl = 10_000
/** Timeout in milliseconds per attempt. */
const timeout = 30_000

type Status = Partial<Infer<typeof TokenReviewStatus>>

/** Authenticates tokens with the webhook. */
export function webhookTokens(
  options: WebhookTokenOptions,
  { outbound, clock, logger, platform }: WebhookTokenContext,
): TokenAuthenticator {
  const { connection, version, audiences: own, cacheTtl } = options
  const apiVersion = platform.name(`authentication.<domain>/${version}`)
  const call = createCall({ connection, outbound, clock, timeout })
  const type: ReviewType = {
    kind: 'TokenReview',
    group: platform.name('authentication.<domain>'),
    version,
    schema: TokenReview,
  }

  async function review(token: string, audiences: readonly string[], signal?: AbortSignal): Promise<Status> {
    const spec = { token, ...(audiences.length > 0 && { audiences }) }
    try {
      const answer = await call(JSON.stringify({ kind: 'TokenReview', apiVersion, metadata: {}, spec, status: { user: {} } }), signal)
      return (readReview(answer, type).review['status'] ?? {}) as Status
    } catch (error) {
      if (signal?.aborted) throw error
      const why = messageOf(error)
      logger.error({ error: why }, 'authentication webhook failed')
      throw new AuthenticationError(why)
    }
  }

  const inner: TokenAuthenticator = {
    name: 'webhook',
    async authenticateToken(token, requested = own, context: Context | undefined) {
      const { authenticated, user, audiences: claimed = [], error = '' } = await review(token, requested, context?.signal)
      const audiences = requested.filter((audience) => (claimed.length > 0 ? claimed : own).includes(audience))
      if (requested.length > 0 && audiences.length === 0) return undefined
      if (!authenticated && error !== '') throw new AuthenticationError(error)
      if (!authenticated) return undefined
      const { username = '', uid = '', groups = [], extra: given } = user ?? {}
      const extra = given && Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values ?? []]))
      return { user: { name: username, ...(uid !== '' && { uid }), groups, ...(extra && { extra }) }, audiences }
    },
  }
  return cachedTokens(inner, { clock, ttl: cacheTtl, unknownTtl: cacheTtl, errorTtl })
}
