/** Authenticates bearer tokens by a TokenReview sent to a webhook over HTTPS (`--authentication-token-webhook-*`). */
import * as z from 'zod'
import { createCall } from '../outgoing/webhook/call.ts'
import type { WebhookConnection } from '../outgoing/webhook/connection.ts'
import { parseAnswer } from '../outgoing/webhook/parse-answer.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Context, Logger, Outbound } from '../ports.ts'
import { isObject } from '../schema/is-object.ts'
import { set } from '../schema/members.ts'
import { messageOf } from '../schema/message-of.ts'
import type { JsonObject } from '../schema/model.ts'
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

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])
/** Every name is an ordinary one, which `z.record` would drop. */
const extraSchema = z.custom<{ readonly [name: string]: unknown }>(isObject).transform((extra, context) => {
  const read: { [name: string]: readonly string[] } = {}
  for (const [name, values] of Object.entries(extra)) {
    const { success, data = [] } = texts.safeParse(values)
    if (success) set(read as JsonObject, name, [...data])
    else context.addIssue({ code: 'custom', path: [name], message: 'not a list of texts' })
  }
  return read
})
const userSchema = z.object({
  username: text,
  uid: text,
  groups: texts,
  extra: extraSchema.nullish(),
})
const statusSchema = z.object({
  authenticated: z.boolean().nullish(),
  user: userSchema.nullish(),
  audiences: texts,
  error: text,
})

type Status = z.output<typeof statusSchema>

/** Parses a response. Throws an Error that says why it is not a review of this version. */
function reader(apiVersion: string): (answer: string) => Status {
  const schema = z.object({
    kind: z.literal(['', 'TokenReview']).nullish(),
    apiVersion: z.literal(['', apiVersion]).nullish(),
    status: statusSchema.nullish().transform((status) => status ?? statusSchema.parse({})),
  })
  return (answer) => {
    const review = schema.safeParse(parseAnswer(answer))
    if (review.success) return review.data.status
    // Name the field, not its value, which may be a user name.
    throw new Error(`not a TokenReview of ${apiVersion}: ${review.error.issues.map(({ path }) => path.join('.') || 'content').join(', ')}`)
  }
}

const problemOf = (error: unknown) => (error instanceof SyntaxError ? 'the answer is not JSON' : messageOf(error))

/** Authenticates tokens with the webhook. */
export function webhookTokens(
  options: WebhookTokenOptions,
  { outbound, clock, logger, platform }: WebhookTokenContext,
): TokenAuthenticator {
  const { connection, version, audiences: own, cacheTtl } = options
  const apiVersion = platform.name(`authentication.<domain>/${version}`)
  const call = createCall({ connection, outbound, clock, timeout })
  const read = reader(apiVersion)

  async function review(token: string, audiences: readonly string[], signal?: AbortSignal): Promise<Status> {
    const spec = { token, ...(audiences.length > 0 && { audiences }) }
    try {
      return read(await call(JSON.stringify({ kind: 'TokenReview', apiVersion, metadata: {}, spec, status: { user: {} } }), signal))
    } catch (error) {
      if (signal?.aborted) throw error
      const why = problemOf(error)
      logger.error({ error: why }, 'authentication webhook failed')
      throw new AuthenticationError(`authentication webhook: ${why}`)
    }
  }

  const inner: TokenAuthenticator = {
    name: 'webhook',
    async authenticateToken(token, requested = own, context: Context | undefined) {
      const { authenticated, user, audiences: given, error } = await review(token, requested, context?.signal)
      const audiences = requested.filter((audience) => (given.length > 0 ? given : own).includes(audience))
      if (requested.length > 0 && audiences.length === 0) return undefined
      if (!authenticated && error !== '') throw new AuthenticationError(error)
      if (!authenticated) return undefined
      const { username = '', uid = '', groups = [], extra } = user ?? {}
      return { user: { name: username, ...(uid !== '' && { uid }), groups, ...(extra && { extra }) }, audiences }
    },
  }
  return cachedTokens(inner, { clock, ttl: cacheTtl, unknownTtl: cacheTtl, errorTtl })
}
